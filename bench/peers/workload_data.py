"""Input data of the workloads: WORKLOADS[name]() answers a JSON-able dict, the same on every run.

All chance comes from the Park-Miller generator below, seeded per workload.
"""
import json


class Random:
    """Park-Miller minimal standard generator."""

    def __init__(self, seed):
        self.seed = seed

    def next(self):
        self.seed = self.seed * 16807 % 2147483647
        return self.seed

    def int(self, low, high):
        """A whole number from low to high, both included."""
        return low + self.next() * (high - low + 1) // 2147483647

    def chance(self, percent):
        return self.int(1, 100) <= percent

    def pick(self, items):
        return items[self.int(0, len(items) - 1)]

    def shuffled(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.int(0, i)
            items[i], items[j] = items[j], items[i]
        return items


FIRST = ["Ada", "Alan", "Barbara", "Claude", "Dorothy", "Edsger", "Frances", "Grace", "Hedy", "John",
         "Katherine", "Konrad", "Leslie", "Margaret", "Niklaus", "Peter", "Radia", "Shafi", "Tony", "Yukihiro"]
LAST = ["Allen", "Backus", "Codd", "Dijkstra", "Engelbart", "Floyd", "Goldwasser", "Hamilton", "Hopper",
        "Iverson", "Johnson", "Kay", "Knuth", "Lamarr", "Lovelace", "McCarthy", "Naur", "O'Hara", "Perlman",
        "Ritchie", "Shannon", "Turing", "Wirth", "Zuse"]
CITIES = ["Amsterdam", "Bergen", "Cardiff", "Dresden", "Esbjerg", "Florence", "Ghent", "Heidelberg", "Innsbruck", "Jena"]
REGIONS = ["Central", "East", "North", "South", "West"]
PRODUCTS = ["anvil", "bellows", "chisel", "drill", "easel", "file", "gouge", "hammer", "level", "mallet",
            "plane", "saw"]
COUNTRIES = ["AT", "BE", "CH", "DE", "DK", "FR", "IT", "NL", "NO", "SE"]
WORDS = ("a about above accept across action after again against air all almost also always among amount an and "
         "answer any appear are area as at attention away back balance base be because become before begin behind "
         "believe below between board body book both branch bread bridge bright bring brother brown build business "
         "but by call carry cause chance change circle clear cloud cold color come common complete condition "
         "consider control copper country cover cross current damage danger daughter day decision deep degree "
         "delicate design desire detail development different direction discovery discussion distance "
         "distribution division doubt down drive early earth edge education effect electric engine enough equal "
         "error even event every example exchange existence expansion experience expert family far farm feeling "
         "field fight fire first flight floor flower force forward frame free frequent friend from front future "
         "garden general glass gold good government great green group growth guide harbor harmony have hearing "
         "history hollow hope hour house humor ice idea important impulse in increase industry insect instrument "
         "insurance interest into invention iron is island it journey judge keep kettle knowledge land language "
         "late laugh law leaf learning least left level library light like limit line liquid list little long "
         "loss machine make manager map mark market mass material may measure meeting memory metal middle military "
         "mind minute mist money month morning mother motion mountain move music name nation natural near necessary "
         "need new night noise normal north note number observation of offer office oil old on open operation "
         "opinion or orange order organization ornament other out over page paint paper parallel part past payment "
         "peace person physical picture place plane plant plate play please point political position possible power "
         "present price print private probable process produce profit property prose protest public purpose quality "
         "question quick quiet rail rain range rate reaction reading reason record regret regular relation religion "
         "representative request respect responsible rest reward rhythm right river road roll room round rule sail "
         "salt same sand scale school science sea seat second secret secretary see seem selection sense separate "
         "serious sex shade shadow shame sharp ship short side sign silver simple size sky sleep slow small smooth "
         "snow society soft solid some song sort sound south space special spring square stage start statement "
         "station steam step stick still stone stop story straight strange stream street strong structure substance "
         "such sudden sugar suggestion summer sun support surprise system table talk taste teaching tendency test "
         "than that the then theory there thick thing this thought through thunder time tired together tomorrow "
         "trade train transport tree trick trouble true turn under unit up use value verse very vessel view violent "
         "voice waiting walk warm wash water wave way weather week weight west wheel while white wide will wind "
         "window winter wire wise with woman wood word work worm writing wrong year yellow yesterday young").split()


def date(r, first_year=2021, last_year=2024):
    y, m = r.int(first_year, last_year), r.int(1, 12)
    leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]
    return "%04d-%02d-%02d" % (y, m, r.int(1, days))


def person(r):
    return r.pick(FIRST) + " " + r.pick(LAST)


# --- classic -----------------------------------------------------------------

def binary_trees():
    return {"n": 12}


def fannkuch():
    return {"n": 8}


def nbody():
    solar = 4 * 3.141592653589793 * 3.141592653589793
    year = 365.24
    planets = [
        (4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
         1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05, 9.54791938424326609e-04),
        (8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
         -2.76742510726411899e-03, 4.99852801234917238e-03, 2.30417297573763929e-05, 2.85885980666130812e-04),
        (1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
         2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05, 4.36624404335156298e-05),
        (1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
         2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05, 5.15138902046611451e-05),
    ]
    bodies = [{"x": 0.0, "y": 0.0, "z": 0.0, "vx": 0.0, "vy": 0.0, "vz": 0.0, "mass": solar}]
    for x, y, z, vx, vy, vz, mass in planets:
        bodies.append({"x": x, "y": y, "z": z, "vx": vx * year, "vy": vy * year, "vz": vz * year,
                       "mass": mass * solar})
    return {"n": 16000, "bodies": bodies}


def spectral_norm():
    return {"n": 150}


def k_nucleotide():
    r = Random(42)
    repeated = "GGTATTTTAATTTATAGTGGCCGGGCGCGGTGGCTCACGCC"
    out, size = [], 0
    while size < 42000:
        if r.chance(1):
            piece = repeated[:r.int(3, len(repeated))]
        else:
            piece = "".join("acgt"[0 if p <= 303 else 1 if p <= 501 else 2 if p <= 698 else 3]
                            for p in (r.int(1, 1000) for _ in range(60)))
        out.append(piece)
        size += len(piece)
    return {"dna": "".join(out)}


def richards():
    return {"n": 20000}


def deltablue():
    return {"chain": 500, "edits": 550, "pairs": 300}


def havlak():
    return {"trees": 12, "chains": 14, "length": 8}


def json_text():
    r = Random(77)

    def text(n):
        words = " ".join(r.pick(WORDS) for _ in range(n))
        if r.chance(20):
            words = words.replace(" ", ' "', 1) + '"'
        if r.chance(10):
            words += "\nnext line\ttabbed"
        if r.chance(5):
            words += " C:\\temp\\file"
        return words

    records = []
    for i in range(60):
        records.append({
            "id": 1000 + i,
            "name": person(r),
            "active": r.chance(70),
            "manager": None if r.chance(30) else r.int(1000, 1059),
            "score": r.int(1, 400) + r.pick([0.25, 0.5, 0.75]),
            "balance": -r.int(1, 9999),
            "tags": [r.pick(WORDS) for _ in range(r.int(0, 4))],
            "address": {"city": r.pick(CITIES), "street": str(r.int(1, 99)) + " " + r.pick(WORDS) + " street",
                        "position": [r.int(-90, 89) + 0.5, r.int(-180, 179) + 0.25]},
            "note": text(r.int(2, 9)),
        })
    document = {"title": "people", "version": 3, "empty": {}, "none": [], "people": records}
    out = json.dumps(document, indent=1)
    return {"text": out.replace('"Ada ', '"\\u0041da ').replace("street", "str\\u0065et"), "rounds": 16}


def bounce():
    return {"balls": 100, "frames": 3500}


def towers():
    return {"disks": 18}


def permute():
    return {"n": 8}


def storage():
    return {"depth": 9}


def list_tail():
    return {"triples": [[15, 10, 6], [18, 12, 6], [20, 12, 6], [17, 13, 8], [6, 12, 18]]}


def sieve():
    return {"n": 800000}


def matmul():
    return {"n": 108}


def mandelbrot_rows():
    return {"n": 224}


# --- what agents' programs do ------------------------------------------------

def csv_report():
    r = Random(101)
    lines = ["order,date,region,customer,product,quantity,price,status"]
    for i in range(9000):
        customer = person(r)
        if r.chance(25):
            first, last = customer.split(" ")
            customer = '"%s, %s"' % (last, first)
        elif r.chance(5):
            first, last = customer.split(" ")
            customer = '"%s ""%s"" %s"' % (first, r.pick(["Ace", "Doc", "Red"]), last)
        lines.append("%d,%s,%s,%s,%s,%d,%d.%02d,%s" % (
            10000 + i, date(r, 2023, 2023), r.pick(REGIONS), customer, r.pick(PRODUCTS), r.int(1, 20),
            r.int(1, 250), r.int(0, 99), r.pick(["paid", "paid", "paid", "open", "void"])))
    return {"text": "\n".join(lines) + "\n"}


def log_scan():
    r = Random(202)
    routes = [("GET", "/orders/%d"), ("GET", "/orders"), ("POST", "/orders"), ("GET", "/users/%d"),
              ("PUT", "/users/%d/cart/%d"), ("GET", "/health"), ("DELETE", "/users/%d/cart/%d"), ("GET", "/search")]
    lines = []
    for i in range(13000):
        if r.chance(4):
            lines.append("    at %s.%s(%s.java:%d)" % (r.pick(WORDS), r.pick(WORDS), r.pick(WORDS), r.int(1, 900)))
            continue
        method, path = r.pick(routes)
        path = path.replace("%d", str(r.int(1, 5000)), 1).replace("%d", str(r.int(1, 99)), 1)
        status = r.pick([200] * 14 + [201, 204, 304, 400, 404, 404, 500, 503])
        level = "ERROR" if status >= 500 else "WARN" if status >= 400 else "INFO"
        duration = r.int(1, 60) + (r.int(1, 3000) if r.chance(8) else 0)
        lines.append("2024-05-%02dT%02d:%02d:%02dZ %s [web%d] %s %s status=%d dur=%dms" % (
            1 + i // 2600, r.int(0, 23), r.int(0, 59), r.int(0, 59), level, r.int(1, 6), method, path, status,
            duration))
    return {"lines": lines, "top": 25}


def pivot():
    r = Random(303)
    sellers = [person(r) for _ in range(25)]
    return {"records": [{"date": date(r, 2023, 2023), "region": r.pick(REGIONS), "product": r.pick(PRODUCTS),
                         "seller": r.pick(sellers), "units": r.int(1, 12), "amount": r.int(100, 9900)}
                        for _ in range(22000)]}


def join3():
    r = Random(404)
    customers = [{"id": i, "name": person(r) + " " + str(i), "country": r.pick(COUNTRIES),
                  "segment": r.pick(["home", "office", "public"])} for i in range(1, 801)]
    orders = [{"id": 5000 + i, "customer": r.int(1, 720) if not r.chance(3) else 900 + i, "date": date(r, 2024, 2024),
               "channel": r.pick(["mail", "shop", "web"])} for i in range(5000)]
    items = [{"order": r.int(5000, 10099), "sku": "S" + str(r.int(100, 999)), "quantity": r.int(1, 9),
              "price": r.int(50, 20000)} for _ in range(29000)]
    return {"customers": r.shuffled(customers), "orders": r.shuffled(orders), "items": items}


def top_k():
    r = Random(505)
    return {"k": 10, "rows": [{"id": i, "team": "team" + str(r.int(1, 12)), "player": "p" + str(r.int(1, 1500)),
                               "score": r.int(0, 9000)} for i in r.shuffled(range(1, 28001))]}


def dedupe():
    r = Random(606)
    records = []
    for i in range(1, 7001):
        if records and r.chance(40):
            old = r.pick(records[-400:])
            name, email, phone = old["name"], old["email"], old["phone"]
            change = r.int(1, 6)
            if change == 1:
                name = name.upper()
            elif change == 2:
                name = ", ".join(reversed(name.split(" ")))
            elif change == 3:
                name = "  " + name.replace(" ", "  ") + "."
            elif change == 4:
                user, domain = email.split("@")
                email = user[:2] + "." + user[2:] + "+news@" + domain.upper()
            elif change == 5:
                email = "new" + str(i) + "@mail.example"
                phone = "+44 (" + phone[:3] + ") " + phone[3:]
            else:
                phone = phone[:3] + "-" + phone[3:6] + " " + phone[6:]
        else:
            first, last = r.pick(FIRST), r.pick(LAST)
            name = first + " " + last
            email = "%s.%s%d@%s.example" % (first.lower(), last.lower().replace("'", ""), r.int(1, 999),
                                            r.pick(["mail", "post", "web"]))
            phone = "0" + str(r.int(10, 99)) + str(r.int(1000000, 9999999))
        records.append({"id": i, "name": name, "email": email, "phone": phone, "spent": r.int(0, 500)})
    return {"records": records}


def windows():
    r = Random(707)
    series, level = [], 5000
    for _ in range(40000):
        level = max(500, level + r.int(-60, 60))
        series.append(level + r.int(0, 40))
    return {"series": series, "short": 12, "long": 50, "width": 10}


def text_wrap():
    r = Random(808)
    paragraphs = []
    for _ in range(80):
        words = []
        for _ in range(r.int(8, 14)):
            sentence = [r.pick(WORDS) for _ in range(r.int(4, 16))]
            sentence[0] = sentence[0].capitalize()
            if len(sentence) > 9:
                sentence[4] += ","
            words.extend(sentence)
            words[-1] += "."
        paragraphs.append("  " + " ".join(words))
    return {"paragraphs": paragraphs, "widths": [40, 60, 78]}


def tree_walk():
    r = Random(909)
    count = [0]

    def build(depth):
        count[0] += 1
        number = count[0]
        if depth == 0 or (depth < 7 and r.chance(15)):
            return {"name": "%s%d.%s" % (r.pick(WORDS), number, r.pick(["clj", "csv", "json", "lua", "md", "txt"])),
                    "size": r.int(10, 9000), "children": []}
        return {"name": "%s%d" % (r.pick(WORDS), number), "size": r.int(1, 100),
                "children": [build(depth - 1) for _ in range(r.int(2, 6))]}

    return {"tree": build(7), "limits": [10000, 25000, 40000]}


def bfs():
    r = Random(1010)
    height, width = 101, 161
    # A maze by random walks between odd cells, then some walls opened so that there are many ways.
    cells = [["#"] * width for _ in range(height)]
    stack, cells[1][1] = [(1, 1)], "."
    while stack:
        y, x = stack[-1]
        ways = [(dy, dx) for dy, dx in ((-2, 0), (2, 0), (0, -2), (0, 2))
                if 0 < y + dy < height and 0 < x + dx < width and cells[y + dy][x + dx] == "#"]
        if ways:
            dy, dx = r.pick(ways)
            cells[y + dy // 2][x + dx // 2] = cells[y + dy][x + dx] = "."
            stack.append((y + dy, x + dx))
        else:
            stack.pop()
    for _ in range(1300):
        y, x = r.int(1, height - 2), r.int(1, width - 2)
        cells[y][x] = "."
    edges = []
    for _ in range(2600):
        a = r.int(1, 2000)
        b = a + r.int(1, 40) if r.chance(95) else r.int(1, 2000)
        if a != b and b <= 2000 and a % 200 >= 3:
            edges.append([a, b])
    present = sorted({node for edge in edges for node in edge})
    return {"rows": ["".join(row) for row in cells], "edges": edges, "sources": [r.pick(present) for _ in range(60)]}


def edit_distance():
    r = Random(1111)
    dictionary = sorted({w for w in WORDS if len(w) >= 5})[::2]
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = []
    for _ in range(60):
        word = r.pick(dictionary)
        for _ in range(r.int(1, 2)):
            i, change = r.int(0, len(word) - 1), r.int(1, 3)
            if change == 1:
                word = word[:i] + word[i + 1:]
            elif change == 2:
                word = word[:i] + r.pick(letters) + word[i:]
            else:
                word = word[:i] + r.pick(letters) + word[i + 1:]
        words.append(word)
    return {"words": words, "dictionary": dictionary}


def knapsack():
    r = Random(1212)
    items = []
    for i in range(1, 121):
        weight = r.int(20, 400)
        items.append({"id": i, "weight": weight, "value": weight + r.int(1, 150)})
    return {"items": items, "capacity": 8500}


def lru_cache():
    r = Random(1313)
    ops = []
    for _ in range(68000):
        key = "k" + str(min(r.int(1, 1200), r.int(1, 1200)))
        kind = r.int(1, 100)
        if kind <= 60:
            ops.append({"op": "get", "key": key})
        elif kind <= 97:
            ops.append({"op": "put", "key": key, "value": r.int(1, 100000)})
        else:
            ops.append({"op": "del", "key": key})
    return {"ops": ops, "capacity": 300}


def date_math():
    r = Random(1414)
    spans = []
    for _ in range(6500):
        a, b = sorted([date(r, 1999, 2026), date(r, 1999, 2026)])
        spans.append({"start": a, "end": b, "terms": r.pick([7, 14, 30, 45, 60, 90, 365])})
    return {"spans": spans}


def nested_updates():
    r = Random(1515)
    kinds = ["add"] * 60 + ["drop"] * 12 + ["pay"] * 18 + ["prefer"] * 5 + ["restock"] * 5
    return {"events": [{"kind": r.pick(kinds), "tenant": "t" + str(r.int(1, 5)), "user": "u" + str(r.int(1, 60)),
                        "order": "o" + str(r.int(1, 3)), "sku": "s" + str(r.int(1, 40)), "quantity": r.int(1, 6),
                        "price": r.int(99, 4999), "day": 1 + i // 1000} for i in range(31000)]}


def print_table():
    r = Random(1616)
    rows = []
    for _ in range(4700):
        name = person(r) + (" " + r.pick(["& Sons", "Incorporated", "Brothers"]) if r.chance(30) else "")
        cents = r.pick([r.int(1, 9999), r.int(10000, 999999), r.int(1000000, 250000000)])
        rows.append({"name": name, "city": r.pick(CITIES), "day": date(r), "units": r.int(1, 40000),
                     "cents": -cents if r.chance(15) else cents, "state": r.pick(["closed", "late", "open"])})
    return {"rows": rows}


WORKLOADS = {f.__name__: f for f in [
    binary_trees, fannkuch, nbody, spectral_norm, k_nucleotide, richards, deltablue, havlak, json_text, bounce,
    towers, permute, storage, list_tail, sieve, matmul, mandelbrot_rows,
    csv_report, log_scan, pivot, join3, top_k, dedupe, windows, text_wrap, tree_walk, bfs, edit_distance, knapsack,
    lru_cache, date_math, nested_updates, print_table]}

if __name__ == "__main__":
    for name, make in WORKLOADS.items():
        print("%-16s %8d bytes" % (name, len(json.dumps(make()))))
