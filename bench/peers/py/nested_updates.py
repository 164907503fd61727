"""A stream of shop events applied to nested dicts of tenants, users and orders, made where missing."""


def child(found, key):
    return found.setdefault(key, {})


def bump(found, key, n):
    found[key] = found.get(key, 0) + n


def order_total(order):
    return sum(line["quantity"] * line["price"] for line in order["lines"].values())


def user_of(state, event):
    return child(child(child(state, event["tenant"]), "users"), event["user"])


def find_order(state, event):
    """(tenant, user, order), each None when it is not there."""
    tenant = state.get(event["tenant"])
    user = tenant and tenant.get("users", {}).get(event["user"])
    return tenant, user, user and user.get("orders", {}).get(event["order"])


def add(state, event):
    order = child(child(user_of(state, event), "orders"), event["order"])
    line = child(child(order, "lines"), event["sku"])
    bump(line, "quantity", event["quantity"])
    line["price"] = event["price"]
    bump(child(state[event["tenant"]], "stock"), event["sku"], -event["quantity"])


def drop(state, event):
    tenant, _, order = find_order(state, event)
    line = order and order["lines"].pop(event["sku"], None)
    if line:
        bump(tenant["stock"], event["sku"], line["quantity"])


def pay(state, event):
    tenant, user, order = find_order(state, event)
    if not order or not order["lines"]:
        return
    total, day = order_total(order), event["day"]
    user["orders"].pop(event["order"])
    user.setdefault("paid", []).append({"order": event["order"], "total": total, "day": day})
    bump(user, "spent", total)
    child(child(user, "last"), "payment")["day"] = day
    bump(child(tenant, "income"), day, total)


def prefer(state, event):
    child(user_of(state, event), "settings")["favourite"] = {"sku": event["sku"], "since": event["day"]}


def restock(state, event):
    bump(child(child(state, event["tenant"]), "stock"), event["sku"], 10 * event["quantity"])


HANDLERS = {"add": add, "drop": drop, "pay": pay, "prefer": prefer, "restock": restock}


def mix(h, x):
    return (h * 31 + x) % 1000000007


def mix_user(h, user):
    orders = user.get("orders", {})
    h = mix(mix(h, len(orders)), sum(map(order_total, orders.values())))
    h = mix(h, user.get("spent", 0))
    h = mix(h, user["settings"]["favourite"]["since"] if "settings" in user else 0)
    h = mix(h, user["last"]["payment"]["day"] if "last" in user else 0)
    return mix(h, sum(paid["day"] * (paid["total"] % 97) for paid in user.get("paid", [])))


def run(data):
    state = {}
    for event in data["events"]:
        HANDLERS[event["kind"]](state, event)
    h = 7
    for _, tenant in sorted(state.items()):
        users = tenant.get("users", {})
        h = mix(h, len(users))
        for name in sorted(users):
            h = mix_user(h, users[name])
        for _, count in sorted(tenant.get("stock", {}).items()):
            h = mix(h, count)
        for day, amount in sorted(tenant.get("income", {}).items()):
            h = mix(mix(h, day), amount)
    return h
