import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { problemLine } from '../../../lib/config/problem.ts';
import { userConfigFile } from '../../../lib/config/sources/config-file.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { homeFolder, userFolder } from '../../../lib/platform/home-folder.ts';
import { agentHome, findLoginProblem } from '../../../lib/providers/credentials/login-file.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import { confirm } from '../confirm.ts';
import { fileReason } from '../files.ts';
import { reportError } from '../print.ts';

interface SetupOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Sets up this machine. Running the command again changes nothing. Resolves with the exit code. */
export async function runSetup({ options, io }: Call<unknown, SetupOptions>): Promise<number> {
  const paths = setupPaths(io.env);
  try {
    const changes = existsSync(paths.config)
      ? await missingFolders(paths.config, io)
      : await firstSetup(options, io);
    if (changes.length === 0) io.stdout('Nothing to change.\n');
    else if (!(await makeChanges(changes, options, io))) return options.dryRun ? 0 : 1;
    io.stdout(nextSteps(paths.config, io.env));
    return 0;
  } catch (error) {
    return reportError(error, io);
  }
}

/**
 * Resolves with the changes that create the missing folders of an existing configuration. The configuration file itself is
 * never changed.
 */
async function missingFolders(
  config: string,
  { env, cwd, stdout }: CommandIo,
): Promise<readonly Change[]> {
  stdout(`The configuration ${config} already exists and is not changed.\n`);
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
  const content = proposedConfig(provider, state, artifacts);
  return [newFile(config, content), ...folders(state, artifacts, true)];
}

function folders(state: string, artifacts: string, isPrivate: boolean): readonly Change[] {
  return [...newFolder(state, true), ...newFolder(artifacts, isPrivate)];
}

/** The providers that need an API key, with the environment variable that usually contains the key. */
const KEYS = [
  { name: 'openai', kind: 'openai_images', variable: 'OPENAI_API_KEY', whose: 'OpenAI' },
  { name: 'gemini', kind: 'gemini', variable: 'GEMINI_API_KEY', whose: 'Google' },
  {
    name: 'openrouter',
    kind: 'openai_images',
    variable: 'OPENROUTER_API_KEY',
    whose: 'OpenRouter',
    lines: ['dialect = "openrouter"', 'models = ["openai/gpt-image-2"]'],
  },
  {
    name: 'xai',
    kind: 'openai_images',
    variable: 'XAI_API_KEY',
    whose: 'xAI',
    lines: ['dialect = "xai"'],
  },
  {
    name: 'together',
    kind: 'openai_images',
    variable: 'TOGETHER_API_KEY',
    whose: 'Together',
    lines: ['dialect = "together"'],
  },
  {
    name: 'bfl',
    kind: 'task',
    variable: 'BFL_API_KEY',
    whose: 'Black Forest Labs',
    lines: ['service = "bfl"'],
  },
  {
    name: 'fal',
    kind: 'task',
    variable: 'FAL_KEY',
    whose: 'fal',
    lines: ['service = "fal"', 'models = ["fal-ai/flux/dev"]', 'image_model = "fal-ai/flux/dev"'],
  },
  {
    name: 'replicate',
    kind: 'task',
    variable: 'REPLICATE_API_TOKEN',
    whose: 'Replicate',
    lines: [
      'service = "replicate"',
      'models = ["black-forest-labs/flux-1.1-pro"]',
      'image_model = "black-forest-labs/flux-1.1-pro"',
    ],
  },
] as const;

/**
 * Resolves with the first provider that is available and that the user accepts: the agent, a provider with an API key, or the
 * sandbox.
 */
async function chooseProvider(options: SetupOptions, io: CommandIo): Promise<ProposedProvider> {
  if (await wantsAgent(options, io)) return { name: 'agent-responses' };
  for (const { whose, ...provider } of KEYS) {
    if ((io.env[provider.variable] ?? '').trim() === '') continue;
    io.stdout(`The variable ${provider.variable} contains an API key.\n`);
    const question = `Use this key for images from ${whose}'s models, which cost money?`;
    if (await wants(question, options, io)) return provider;
  }
  const variables = KEYS.map(({ variable }) => variable).join(', ');
  io.stdout(
    `The sandbox provider will generate images on this machine. For a real model, set one of these variables to an API key,\nor log the agent in (codex login): ${variables}.\nThen delete the configuration and run setup again.\n\n`,
  );
  return { name: 'sandbox' };
}

/** Resolves with true if the agent's login can be used and the user agrees to its use. */
async function wantsAgent(options: SetupOptions, io: CommandIo): Promise<boolean> {
  const home = agentHome(undefined, io.env);
  const problem = await findLoginProblem(home, systemClock, new AbortController().signal);
  if (problem !== undefined) {
    io.stdout(`The agent's login in ${home} cannot be used: ${problem}.\n`);
    return false;
  }
  io.stdout(`The agent's login was found in ${home}.\n`);
  return wants('Use this login for images from a real model?', options, io);
}

async function wants(question: string, options: SetupOptions, io: CommandIo): Promise<boolean> {
  return !isAsking(options, io) || confirm(`${question} [Y/n] `, true, io);
}

/** Makes the changes. In a dry run, or if the user declines, makes no changes and resolves with false. */
async function makeChanges(
  changes: readonly Change[],
  options: SetupOptions,
  io: CommandIo,
): Promise<boolean> {
  io.stdout(`Changes:\n\n${changes.map(({ text }) => `- ${text}`).join('')}\n`);
  if (options.dryRun) return false;
  const isAgreed =
    options.yes ||
    (isAsking(options, io) && (await confirm('Make these changes? [y/N] ', false, io)));
  if (!isAgreed) {
    io.stderr('Nothing was changed. Use --yes to make the changes without asking.\n');
    return false;
  }
  for (const change of changes) await change.make();
  io.stdout('Done.\n');
  return true;
}

function isAsking({ dryRun, yes }: SetupOptions, { isTerminal }: CommandIo): boolean {
  return isTerminal.stdin && !dryRun && !yes;
}

function nextSteps(config: string, env: CommandIo['env']): string {
  // True if commands read this file by default, because no variable names another file.
  const isRead = env['IMAGE_BRIDGE_CONFIG'] === undefined && userConfigFile(env) === config;
  return `
Next:
${isRead ? '' : `  export IMAGE_BRIDGE_CONFIG=${quoted(config)}\n`}  image-bridge doctor
  image-bridge serve
`;
}

/** Quotes a path for the shell if the path contains special characters. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const NAME = 'image-bridge';

/** Returns the paths of a user's files (XDG Base Directory Specification 0.8). Ignores variables with a relative path. */
function setupPaths(env: CommandIo['env']) {
  const home = homeFolder(env);
  const folder = (variable: string, ...usual: readonly string[]) =>
    userFolder(env, variable, { home, usual });
  return {
    config: join(folder('XDG_CONFIG_HOME', '.config'), NAME, `${NAME}.toml`),
    state: join(folder('XDG_STATE_HOME', '.local', 'state'), NAME),
    artifacts: join(folder('XDG_DATA_HOME', '.local', 'share'), NAME, 'artifacts'),
  };
}

/** The provider that a new configuration uses. */
type ProposedProvider =
  | { readonly name: 'agent-responses' | 'sandbox' }
  | {
      readonly name: string;
      readonly kind: 'openai_images' | 'gemini' | 'task';
      /** The environment variable that contains the API key of the provider. */
      readonly variable: string;
      /** More lines of its section. */
      readonly lines?: readonly string[];
    };

/** Returns the text of a configuration file. All settings that are not in the file have their defaults. */
function proposedConfig(provider: ProposedProvider, state: string, artifacts: string): string {
  return `# To print all settings: image-bridge config show
version = 1
default_provider = ${toToml(provider.name)}

[state]
directory = ${toToml(state)}

[artifacts]
root = ${toToml(artifacts)}
${providerSettings(provider)}`;
}

function providerSettings(provider: ProposedProvider): string {
  if ('kind' in provider) {
    const { kind, name, variable, lines = [] } = provider;
    return `
[providers.${kind}.${name}]
${lines.map((line) => `${line}\n`).join('')}# The variable with the API key. Use api_key_file for a file instead.
api_key_env = ${toToml(variable)}

# The agent's login is not used.
[providers.agent_responses]
enabled = false
`;
  }
  return provider.name === 'sandbox' ? '\n[providers.sandbox]\nenabled = true\n' : '';
}

/**
 * Returns the text as a TOML string. TOML has the escapes of JSON and also requires an escape for the delete character (U+007F).
 */
function toToml(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/** A change on disk. The user reads the description before the change is made. */
interface Change {
  /** The description of the change, in whole lines. */
  readonly text: string;
  /** Makes the change. Throws `configuration`. */
  make(): Promise<void>;
}

const FOR_OWNER = 0o700;
const FILE_FOR_OWNER = 0o600;

/** Returns the change that creates a folder, or no change if the folder exists. */
function newFolder(path: string, isPrivate: boolean): readonly Change[] {
  if (existsSync(path)) return [];
  const mode = isPrivate ? FOR_OWNER : 0o777;
  const text = `create the folder ${path}${isPrivate ? ', accessible only by its owner' : ''}\n`;
  return [{ text, make: () => named(path, () => mkdir(path, { recursive: true, mode })) }];
}

/** Returns the change that writes a new file and creates its folder, both accessible only by their owner. */
function newFile(path: string, content: string): Change {
  const indented = content.replace(/^(?=.)/gm, '    ');
  return {
    text: `write the file ${path}, accessible only by its owner:\n\n${indented}\n`,
    make: () =>
      named(path, async () => {
        await mkdir(dirname(path), { recursive: true, mode: FOR_OWNER });
        const options = { replaces: false, mode: FILE_FOR_OWNER };
        if (await saveFile(path, content, options)) return;
        throw new BridgeError('configuration', `${path} already exists, or is a broken link`);
      }),
  };
}

/** Makes a change. Throws `configuration` with the path if the change fails. */
async function named(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof BridgeError) throw error;
    const message = `${path} cannot be written: ${fileReason(error)}`;
    throw new BridgeError('configuration', message, { cause: error });
  }
}
