import { join, resolve } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { homeFolder } from '../../platform/home-folder.ts';
import { createLoginFile, describeLoginProblem } from './login-file.ts';

/** The folder of the agent's login: what a provider's setting `home` names, else the agent's own. */
export function agentHome(
  setting: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  // A variable that is set to nothing is as good as unset.
  return resolve(setting ?? (env['CODEX_HOME'] || join(homeFolder(env), '.codex')));
}

/** Why the login in that folder is of no use, as a sentence without its path; undefined when it can be read. */
export async function findLoginProblem(
  home: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await createLoginFile({ home, clock }).find(signal);
  return typeof found === 'string' ? describeLoginProblem(found) : undefined;
}
