import { existsSync } from 'node:fs';
import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import { userConfigFile } from '../../lib/config/sources/config-file.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { agentHome, findLoginProblem } from '../../lib/providers/credentials/login-file.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import { type Change, newFile, newFolder } from '../setup/changes.ts';
import { type ProposedProvider, proposedConfig } from '../setup/proposed-config.ts';
import { setupPaths } from '../setup/setup-paths.ts';

interface SetupOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** `image-bridge setup`. A second run finds nothing to change. Resolves to the exit code. */
export async function runSetup({ options, io }: Call<unknown, SetupOptions>): Promise<number> {
  const paths = setupPaths(io.env);
  try {
    const changes = existsSync(paths.config)
      ? await missingFolders(paths.config, io)
      : await firstSetup(options, io);
    if (changes.length > 0 && !(await makeChanges(changes, options, io))) {
      return options.dryRun ? 0 : 1;
    }
    if (changes.length === 0) io.stdout('Nothing is to be changed.\n');
    io.stdout(nextSteps(paths.config, io.env));
    return 0;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    io.stderr(`image-bridge: ${error.message}\n`);
    return 1;
  }
}

/** The folders that an existing configuration names: the file itself is its owner's. */
async function missingFolders(
  config: string,
  { env, cwd, stdout }: CommandIo,
): Promise<readonly Change[]> {
  stdout(`The configuration ${config} exists and stays as it is.\n`);
  const loaded = await loadConfig({ env, cwd, configFile: config });
  if (!loaded.ok) {
    throw new BridgeError('configuration', loaded.errors.map(problemLine).join('\n'));
  }
  const { state, artifacts } = loaded.config;
  return folders(state.directory, artifacts.root, artifacts.permissions === 'owner');
}

async function firstSetup(options: SetupOptions, io: CommandIo): Promise<readonly Change[]> {
  const { config, state, artifacts } = setupPaths(io.env);
  const provider = await chooseProvider(options, io);
  const content = proposedConfig({ provider, state, artifacts });
  return [newFile(config, content), ...folders(state, artifacts, true)];
}

function folders(state: string, artifacts: string, isPrivate: boolean): readonly Change[] {
  return [...newFolder(state, { isPrivate: true }), ...newFolder(artifacts, { isPrivate })];
}

/** The variables that programs for these APIs take their keys from. */
const KEYS = [
  { name: 'openai', kind: 'openai_images', variable: 'OPENAI_API_KEY', whose: 'OpenAI' },
  { name: 'gemini', kind: 'gemini', variable: 'GEMINI_API_KEY', whose: 'Google' },
] as const;

/** The first that is there and wanted: the login of the agent, then an API key; else the sandbox. */
async function chooseProvider(options: SetupOptions, io: CommandIo): Promise<ProposedProvider> {
  if (await wantsAgent(options, io)) return { name: 'agent-responses' };
  for (const { whose, ...provider } of KEYS) {
    if ((io.env[provider.variable] ?? '').trim() === '') continue;
    io.stdout(`The variable ${provider.variable} holds an API key.\n`);
    if (await wants(`Use it for images of ${whose}'s models, which cost money?`, options, io)) {
      return provider;
    }
  }
  const variables = KEYS.map(({ variable }) => variable).join(' or ');
  io.stdout(
    `The sandbox provider will generate images on this machine. For a real model put an API key into ${variables}, or log\nthe agent in (codex login), remove the configuration and run this again.\n\n`,
  );
  return { name: 'sandbox' };
}

/** Whether the agent's login is there and is to be used. */
async function wantsAgent(options: SetupOptions, io: CommandIo): Promise<boolean> {
  const home = agentHome(undefined, io.env);
  const problem = await findLoginProblem(home, systemClock, new AbortController().signal);
  if (problem !== undefined) {
    io.stdout(`No login of the agent can be used in ${home}: ${problem}.\n`);
    return false;
  }
  io.stdout(`The agent's login was found in ${home}.\n`);
  return wants('Use it for images of a real model?', options, io);
}

async function wants(question: string, options: SetupOptions, io: CommandIo): Promise<boolean> {
  return !isAsking(options, io) || confirm(`${question} [Y/n] `, true, io);
}

/** False, and nothing done, when the changes were only to be shown or were refused. */
async function makeChanges(
  changes: readonly Change[],
  options: SetupOptions,
  io: CommandIo,
): Promise<boolean> {
  io.stdout(`These are the changes:\n\n${changes.map(({ text }) => `- ${text}`).join('')}\n`);
  if (options.dryRun) return false;
  if (!options.yes && !(isAsking(options, io) && (await confirm('Make them? [y/N] ', false, io)))) {
    io.stderr('Nothing was changed. --yes makes the changes without a question.\n');
    return false;
  }
  for (const change of changes) await change.make();
  io.stdout('Done.\n');
  return true;
}

function isAsking({ dryRun, yes }: SetupOptions, { isTerminal }: CommandIo): boolean {
  return isTerminal.stdin && !dryRun && !yes;
}

async function confirm(question: string, byDefault: boolean, io: CommandIo): Promise<boolean> {
  const reply = (await io.ask(question)).trim().toLowerCase();
  return reply === '' ? byDefault : reply === 'y' || reply === 'yes';
}

function nextSteps(config: string, env: CommandIo['env']): string {
  // Every command reads this file unless another one is named.
  const isRead = env['IMAGE_BRIDGE_CONFIG'] === undefined && userConfigFile(env) === config;
  return `
Next:
${isRead ? '' : `  export IMAGE_BRIDGE_CONFIG=${quoted(config)}\n`}  image-bridge doctor
  image-bridge serve
`;
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
