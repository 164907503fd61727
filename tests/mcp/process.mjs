// Servers as child processes of tests.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Starts a server that says where it listens; `stop(signal)` ends it and waits for that. */
export async function serve(program, args = [], env = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /^listening on (http:\S+)$/.exec(line);
    if (!found) throw new Error(`not listening: ${line}`);
    return { url: found[1], port: new URL(found[1]).port, stop: (signal = 'SIGTERM') => (child.kill(signal), ended) };
  }
  throw new Error(`${program} has ended`);
}
