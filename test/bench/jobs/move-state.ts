import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { durationOf } from '../measure/durations.ts';

const PROGRAM = fileURLToPath(new URL('../../../bundle/main.js', import.meta.url));

interface Move {
  /** The folder of the configurations. */
  readonly folder: string;
  /** The names of the configurations, without their ending. */
  readonly from: string;
  readonly to: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs `image-bridge state move`. Resolves with its duration in milliseconds. */
export async function moveState({ folder, from, to, env }: Move): Promise<number> {
  const argv = [PROGRAM, 'state', 'move', '--config', `${from}.toml`, '--to', `${to}.toml`];
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return durationOf(() => promisify(execFile)(process.execPath, argv, options));
}
