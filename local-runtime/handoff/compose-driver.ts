import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Slot } from '../gateway/coordination-file.ts';
import type { SlotDriver } from './slot-driver.ts';

interface Deps {
  /** The compose file. */
  readonly file: string;
  readonly project: string | undefined;
  /** The name of each slot's service. */
  readonly services: Readonly<Record<Slot, string>>;
}

/** Slots as services of a compose project. What the command line of compose reports goes to standard error. */
export function createComposeDriver({ file, project, services }: Deps): SlotDriver {
  const from = ['compose', '--file', file, ...(project ? ['--project-name', project] : [])];

  async function compose(verb: string, ...argv: readonly string[]): Promise<string> {
    const child = spawn('docker', [...from, verb, ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const output = text(child.stdout);
    try {
      const [code] = await ended;
      if (code === 0) return await output;
    } catch (cause) {
      throw new BridgeError('configuration', 'docker cannot be started', { cause });
    }
    throw new BridgeError('configuration', `docker compose ${verb} has failed`);
  }

  return {
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
  };
}
