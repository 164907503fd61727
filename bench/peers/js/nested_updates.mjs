// A stream of shop events applied to nested maps of tenants, users and orders, made where missing.
function child(map, key, make) {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = make()));
  return found;
}

const bump = (map, key, n) => map.set(key, (map.get(key) ?? 0) + n);

const newTenant = () => ({ users: new Map(), stock: new Map(), income: new Map() });
const newUser = () => ({ orders: new Map(), paid: [], spent: 0, settings: null, last: null });
const newOrder = () => ({ lines: new Map() });
const newLine = () => ({ quantity: 0, price: 0 });

function orderTotal(order) {
  let sum = 0;
  for (const { quantity, price } of order.lines.values()) sum += quantity * price;
  return sum;
}

const userOf = (state, e) => child(child(state, e.tenant, newTenant).users, e.user, newUser);

const handlers = {
  add(state, e) {
    const line = child(child(userOf(state, e).orders, e.order, newOrder).lines, e.sku, newLine);
    line.quantity += e.quantity;
    line.price = e.price;
    bump(state.get(e.tenant).stock, e.sku, -e.quantity);
  },

  drop(state, e) {
    const tenant = state.get(e.tenant);
    const order = tenant?.users.get(e.user)?.orders.get(e.order);
    const line = order?.lines.get(e.sku);
    if (!line) return;
    order.lines.delete(e.sku);
    bump(tenant.stock, e.sku, line.quantity);
  },

  pay(state, e) {
    const tenant = state.get(e.tenant), user = tenant?.users.get(e.user);
    const order = user?.orders.get(e.order);
    if (!order || order.lines.size === 0) return;
    const total = orderTotal(order);
    user.orders.delete(e.order);
    user.paid.push({ order: e.order, total, day: e.day });
    user.spent += total;
    user.last = { payment: { day: e.day } };
    bump(tenant.income, e.day, total);
  },

  prefer(state, e) {
    userOf(state, e).settings = { favourite: { sku: e.sku, since: e.day } };
  },

  restock(state, e) {
    bump(child(state, e.tenant, newTenant).stock, e.sku, 10 * e.quantity);
  },
};

/** The remainder is never negative, unlike that of %. */
function mix(h, x) {
  const rest = (h * 31 + x) % 1000000007;
  return rest < 0 ? rest + 1000000007 : rest;
}

function mixUser(h, user) {
  let open = 0, paid = 0;
  for (const order of user.orders.values()) open += orderTotal(order);
  for (const { day, total } of user.paid) paid += day * (total % 97);
  const since = user.settings?.favourite.since ?? 0, day = user.last?.payment.day ?? 0;
  return [user.orders.size, open, user.spent, since, day, paid].reduce(mix, h);
}

const byText = (map) => [...map.keys()].sort();

export function run({ events }) {
  const state = new Map();
  for (const event of events) handlers[event.kind](state, event);
  let h = 7;
  for (const name of byText(state)) {
    const { users, stock, income } = state.get(name);
    h = mix(h, users.size);
    for (const user of byText(users)) h = mixUser(h, users.get(user));
    for (const sku of byText(stock)) h = mix(h, stock.get(sku));
    for (const [day, amount] of [...income].sort((a, b) => a[0] - b[0])) h = mix(mix(h, day), amount);
  }
  return h;
}
