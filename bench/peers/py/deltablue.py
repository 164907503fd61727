"""DeltaBlue, reduced (acyclic networks only, no cycle check): incremental constraint solving, chain and projection tests, mutable objects."""

REQUIRED, PREFERRED, STRONG_DEFAULT, NORMAL, WEAKEST = 0, 2, 3, 4, 6


class Variable:
    def __init__(self, value):
        self.value = value
        self.constraints = []
        self.determined_by = None
        self.mark = 0
        self.strength = WEAKEST
        self.stay = True

    def push_consumers(self, waiting):
        """Pushes the constraints that read this variable."""
        for c in self.constraints:
            if c is not self.determined_by and c.direction:
                waiting.append(c)

    def is_known(self, mark):
        return self.mark == mark or self.stay or self.determined_by is None


class Constraint:
    def __init__(self, kind, strength, b, a=None, scale=None, offset=None):
        self.kind = kind
        self.strength = strength
        self.a = a
        self.b = b
        self.scale = scale
        self.offset = offset
        self.direction = None
        self.id = 0

    def output(self):
        return self.a if self.direction == "backward" else self.b

    def input(self):
        return self.b if self.direction == "backward" else self.a

    def variables(self):
        return [v for v in (self.a, self.b, self.scale, self.offset) if v is not None]

    def execute(self):
        if self.kind == "equal":
            self.output().value = self.input().value
        elif self.kind == "scale":
            if self.direction == "forward":
                self.b.value = self.scale.value * self.a.value + self.offset.value
            else:
                self.a.value = (self.b.value - self.offset.value) // self.scale.value

    def recalculate(self):
        out = self.output()
        stay = self.kind != "edit"
        strength = self.strength
        if self.a:
            given = self.input()
            strength = max(strength, given.strength)
            stay = stay and given.stay
            if self.scale:
                stay = stay and self.scale.stay and self.offset.stay
        out.strength, out.stay = strength, stay
        if stay:
            self.execute()

    def choose_direction(self, mark):
        a, b = self.a, self.b
        if a and a.mark != mark and (b.mark == mark or a.strength > b.strength):
            return "backward" if self.strength < a.strength else None
        return "forward" if b.mark != mark and self.strength < b.strength else None

    def has_known_inputs(self, mark):
        if not self.a:
            return True
        return self.input().is_known(mark) and (not self.scale or self.scale.is_known(mark) and self.offset.is_known(mark))


def propagate(constraint):
    waiting = [constraint]
    while waiting:
        c = waiting.pop()
        c.recalculate()
        c.output().push_consumers(waiting)


def satisfy(c, mark):
    """The constraint that `c` overrides, if any."""
    c.direction = c.choose_direction(mark)
    if not c.direction:
        return None
    out = c.output()
    overridden = out.determined_by
    if c.a:
        c.input().mark = mark
        if c.scale:
            c.scale.mark = c.offset.mark = mark
    if overridden:
        overridden.direction = None
    out.determined_by = c
    propagate(c)
    out.mark = mark
    return overridden


def release_variable(variable):
    variable.determined_by, variable.strength, variable.stay = None, WEAKEST, True
    waiting, unsatisfied = [variable], []
    while waiting:
        v = waiting.pop()
        unsatisfied += [c for c in v.constraints if not c.direction]
        for c in v.constraints:
            if c is not v.determined_by and c.direction:
                c.recalculate()
                waiting.append(c.output())
    return unsatisfied


class Net:
    def __init__(self):
        self.mark = 0
        self.count = 0

    def solve(self, c):
        self.mark += 1
        mark = self.mark
        while c:
            c = satisfy(c, mark)

    def add(self, c):
        self.count += 1
        c.id = self.count
        for v in c.variables():
            v.constraints.append(c)
        self.solve(c)
        return c

    def remove(self, c):
        out = c.output() if c.direction else None
        c.direction = None
        for v in c.variables():
            if c in v.constraints:
                v.constraints.remove(c)
        if not out:
            return
        for d in sorted(release_variable(out), key=lambda d: (d.strength, d.id)):
            if not d.direction:
                self.solve(d)

    def make_plan(self, source):
        self.mark += 1
        mark, waiting, plan = self.mark, [source], []
        while waiting:
            c = waiting.pop()
            out = c.output()
            if out.mark != mark and c.has_known_inputs(mark):
                plan.append(c)
                out.mark = mark
                out.push_consumers(waiting)
        return plan

    def edit_variable(self, v, value, times):
        edit = self.add(Constraint("edit", PREFERRED, v))
        plan = self.make_plan(edit)
        for _ in range(times):
            set_and_run(plan, v, value)
        self.remove(edit)


def set_and_run(plan, v, value):
    v.value = value
    for c in plan:
        c.execute()


def mix(h, x):
    return (h * 31 + x) % 1000000007


def chain_test(length, edits):
    net = Net()
    variables = [Variable(0) for _ in range(length + 1)]
    first, last = variables[0], variables[-1]
    for a, b in zip(variables, variables[1:]):
        net.add(Constraint("equal", REQUIRED, b, a))
    net.add(Constraint("stay", STRONG_DEFAULT, last))
    edit = net.add(Constraint("edit", PREFERRED, first))
    plan = net.make_plan(edit)
    h = 7
    for i in range(edits):
        set_and_run(plan, first, i * i)
        h = mix(h, last.value)
    net.remove(edit)
    edit = net.add(Constraint("edit", PREFERRED, last))
    plan = net.make_plan(edit)
    set_and_run(plan, last, 5)
    set_and_run(plan, last, 6)
    net.remove(edit)
    return mix(h, first.value)


def projection_test(pairs):
    net = Net()
    scale, offset = Variable(10), Variable(1000)
    sources, targets = [], []
    for i in range(pairs):
        source, target = Variable(i), Variable(i)
        sources.append(source)
        targets.append(target)
        net.add(Constraint("stay", NORMAL, source))
        net.add(Constraint("scale", REQUIRED, target, source, scale, offset))

    def mix_targets(h):
        for v in targets:
            h = mix(h, v.value)
        return h

    source, target = sources[-1], targets[-1]
    net.edit_variable(source, 17, 10)
    h = mix(11, target.value)
    net.edit_variable(target, 1050, 10)
    h = mix(h, source.value)
    net.edit_variable(scale, 5, 10)
    h = mix_targets(h)
    net.edit_variable(offset, 2000, 10)
    return mix_targets(h)


def run(data):
    return mix(chain_test(data["chain"], data["edits"]), projection_test(data["pairs"]))
