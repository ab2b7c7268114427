import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Slot } from '../coordination.ts';
import { runCheck, type SlotDriver } from './slot-driver.ts';

interface Deps {
  readonly file: string;
  readonly project: string | undefined;
  /** The name of the compose service for each slot. */
  readonly services: Readonly<Record<Slot, string>>;
  /** Receives the standard error of `docker compose`. */
  readonly stderr: (text: string) => void;
}

/** The commands of services in the output of `docker compose config --format json`. `null` stands for the command of the image. */
const PROJECT = v.object({
  services: v.record(v.string(), v.object({ command: v.nullish(v.array(v.string())) })),
});

/** The command of the container image. */
const IMAGE_COMMAND = ['serve'];

/** Creates a driver for slots that are services of a compose project. */
export function createComposeDriver({ file, project, services, stderr }: Deps): SlotDriver {
  const from = ['compose', '--file', file, ...(project ? ['--project-name', project] : [])];

  async function compose(verb: string, ...argv: readonly string[]): Promise<string> {
    const child = spawn('docker', [...from, verb, ...argv], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Starts the child in its own process group, so that Ctrl+C or a closed terminal does not interrupt the step.
      detached: true,
    });
    const ended = once(child, 'close');
    child.stderr.setEncoding('utf8').on('data', stderr);
    const output = text(child.stdout);
    try {
      const [code] = await ended;
      if (code === 0) return await output;
    } catch (cause) {
      throw new BridgeError('configuration', 'docker cannot be started', { cause });
    }
    throw new BridgeError('configuration', `docker compose ${verb} failed`);
  }

  return {
    async check(slot) {
      const service = services[slot];
      const shown = await compose('config', '--format', 'json', service);
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), PROJECT), shown);
      const found = parsed.success ? parsed.output.services[service] : undefined;
      const [first, ...options] = found ? (found.command ?? IMAGE_COMMAND) : [];
      if (first !== 'serve') return undefined;
      const check = ['config', 'check', ...options];
      return runCheck('docker', [...from, 'run', '--rm', '--no-deps', '-T', service, ...check]);
    },
    async start(slot) {
      await compose('up', '--detach', '--no-deps', services[slot]);
    },
    async restart(slot) {
      await compose('up', '--detach', '--no-deps', '--no-recreate', services[slot]);
    },
    async stop(slot, graceMs) {
      await compose('stop', '--timeout', String(Math.ceil(graceMs / 1000)), services[slot]);
    },
    async isRunning(slot) {
      const ids = await compose('ps', '--status', 'running', '--quiet', services[slot]);
      return ids.trim() !== '';
    },
    logOf: (slot) => ['docker', ...from, 'logs', services[slot]].join(' '),
  };
}
