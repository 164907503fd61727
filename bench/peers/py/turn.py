# The program of a fresh turn: best regions of ctx["orders"]. The answer is left in `result`.
groups = {}
for order in ctx["orders"]:
    if order["status"] in ("paid", "shipped"):
        groups.setdefault(order["region"], []).append(order)
rows = []
for region, orders in groups.items():
    total = best = 0
    for order in orders:
        total += order["amount"] * order["qty"]
        best = max(best, order["amount"])
    rows.append({"region": region, "n": len(orders), "total": total, "best": best})
rows.sort(key=lambda row: row["total"], reverse=True)
result = ";".join(f"{row['region']}={row['n']},{int(row['total'])},{int(row['best'])}" for row in rows[:3])
