#!/usr/bin/env python3
"""The commands that the README shows for each provider, run as they stand there against fake providers: readme_test.py PTCC."""
import os
import re
import subprocess
import sys

from fake_provider import Fake, say
from wire_case import Wire, fenced, main, ptcc_test

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = re.compile(r"(?:(?P<name>\w+)=(?P<value>\S+) )?(?:ollama pull \S+ && )?(?P<ask>ask --llm (?P<provider>\w+):\S+)")


class Readme(Wire):
    def test_each_provider(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            block = file.read().split("## A real model\n")[1].split("```sh\n")[1].split("\n```")[0]
        definition, lines = block.split("\n\n", 1)
        data = os.path.join(self.folder, "build", "demo-data")
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "gen_demo_data.py"), data], check=True, capture_output=True, timeout=ptcc_test.SECONDS)
        commands = [COMMAND.match(line) for line in lines.splitlines() if line]
        self.assertTrue(all(commands), lines)
        self.assertEqual({command["provider"] for command in commands}, {"openai", "anthropic", "gemini", "openrouter", "ollama"})
        self.each([(definition, command) for command in commands], self.check_command)

    def check_command(self, definition, command):
        has_key = (command["name"] or "").endswith("_KEY")
        reply = say("Let me count.\n" + fenced('(return {:status "delivered" :orders (count data/orders)})'))
        with Fake(command["provider"], [reply], command["value"] if has_key else "") as fake:
            given = {command["name"]: command["value"], fake.dialect.url_variable: fake.url}
            own = {name: value for name, value in self.environment(fake).items() if name != fake.dialect.key_variable}
            settings = " ".join(f"{name}={value}" for name, value in given.items() if name)
            text = f"{definition.replace('build/release/bin/ptcc', ptcc_test.PTCC)}\n{settings} {command['ask']}"
            done = subprocess.run(["bash", "-c", text], cwd=self.folder, env=own, capture_output=True, text=True, timeout=ptcc_test.SECONDS, check=False)
            self.assertEqual(done.returncode, 0, done.stderr + str(fake.refused))
            self.assertRegex(done.stdout, r'^\{"orders":\d{5},"status":"delivered"\}\n$')
            self.assertIn("Let me count.", done.stderr)


if __name__ == "__main__":
    main()
