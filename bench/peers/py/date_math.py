"""Calendar arithmetic over ISO date texts by whole numbers: days between, working days, weeks, due dates, weekday histograms."""
import re
from collections import Counter

DATE = re.compile(r"(\d+)-(\d+)-(\d+)")
MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def parse_date(text):
    y, m, d = DATE.fullmatch(text).groups()
    return int(y), int(m), int(d)


def format_date(date):
    y, m, d = date
    return f"{y}-{m:02d}-{d:02d}"


def is_leap(y):
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)


def days_in_month(y, m):
    return 29 if m == 2 and is_leap(y) else MONTH_DAYS[m - 1]


def day_number(date):
    """Days since 1970-01-01; years are counted from March so that the leap day comes last."""
    y, m, d = date
    if m < 3:
        y -= 1
    era, yoe = divmod(y, 400)
    doy = (153 * ((m + 9) % 12) + 2) // 5 + d - 1
    return era * 146097 + 365 * yoe + yoe // 4 - yoe // 100 + doy - 719468


def date_of(n):
    era, doe = divmod(n + 719468, 146097)
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    m = mp + 3 if mp < 10 else mp - 9
    return yoe + 400 * era + (m < 3), m, doy - (153 * mp + 2) // 5 + 1


def weekday(n):
    """Monday is 0."""
    return (n + 3) % 7


def iso_week(n):
    """The week of the year as one number: 202614 is week 14 of 2026."""
    thursday = n + 3 - weekday(n)
    year = date_of(thursday)[0]
    return 100 * year + (thursday - day_number((year, 1, 1))) // 7 + 1


def add_months(date, months):
    y, m, d = date
    y, m = divmod(12 * y + m - 1 + months, 12)
    return y, m + 1, min(d, days_in_month(y, m + 1))


def working_days(start, end):
    weeks = (end - start) // 7
    count = 5 * weeks
    for n in range(start + 7 * weeks, end):
        if weekday(n) < 5:
            count += 1
    return count


def next_working_day(n):
    while weekday(n) >= 5:
        n += 1
    return n


def mix(h, x):
    return (h * 31 + x) % 1000000007


def run(data):
    days = working = 0
    weekdays, weeks, dates = Counter(), Counter(), Counter()
    for span in data["spans"]:
        date = parse_date(span["start"])
        start, end = day_number(date), day_number(parse_date(span["end"]))
        days += end - start
        working += working_days(start, end)
        weekdays[weekday(start)] += 1
        weeks[iso_week(start)] += 1
        dates[format_date(date_of(next_working_day(start + span["terms"])))] += 1
        dates[format_date(add_months(date, span["terms"] % 25))] += 1
    h = mix(days, working)
    for day, count in sorted(weekdays.items()):
        h = mix(mix(h, day), count)
    for week, count in sorted(weeks.items()):
        h = mix(mix(h, week), count)
    for date, count in sorted(dates.items()):
        h = mix(h, count * day_number(parse_date(date)))
    return h
