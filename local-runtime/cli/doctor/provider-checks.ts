import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  type RegisteredProvider,
  registeredProviders,
} from '../../../lib/config/settings/provider-names.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../lib/net/http-client.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import { findExecutable } from '../../../lib/providers/agent-app-server/executable.ts';
import { findKeyProblem, type KeySettings } from '../../../lib/providers/credentials/key-source.ts';
import { agentHome, findLoginProblem } from '../../../lib/providers/credentials/login-file.ts';
import { enabledProviders } from '../../../lib/providers/enabled-providers.ts';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { type Examined, type Finding, good, warning } from './finding.ts';

const READABLE_BY_ALL = 0o004;

/** Checks whether each enabled provider is ready. Starts no child process, renews no token and calls no backend. */
export async function checkProviders(examined: Examined): Promise<readonly Finding[]> {
  const { config, env, clock } = examined;
  const slices = createTimeSlices(clock);
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const httpClient = createHttpClient();
  const ids = createIds(clock.nowMs);
  const enabled = enabledProviders(config, { engine, httpClient, clock, ids, slices, env });
  try {
    const findings: Finding[] = [];
    for (const provider of enabled.providers)
      findings.push(await checkProvider(provider, examined));
    return findings;
  } finally {
    for (const provider of enabled.providers) await provider.close();
    await enabled.close();
    await httpClient.close();
    await engine.close();
  }
}

async function checkProvider(provider: Provider, examined: Examined): Promise<Finding> {
  const { name } = provider;
  const check = `provider ${name}`;
  const registered = registeredProviders(examined.config).find((one) => one.name === name);
  const readiness = await provider.probe(examined.signal);
  if (readiness.ready) {
    const isReady = good(check, 'ready for requests; its backend was not called');
    return (await findOpenKey(check, registered)) ?? isReady;
  }
  // Only a warning for any other provider, because such a provider is used only by requests that name the provider.
  const level = name === examined.config.default_provider ? 'bad' : 'warning';
  return { check, level, ...(await explain(registered, readiness.errorCode, examined)) };
}

/**
 * Resolves with a warning, not an error, if every user of the machine can read the key, because mounted secrets may have such
 * permissions on purpose.
 */
async function findOpenKey(
  check: string,
  registered: RegisteredProvider | undefined,
): Promise<Finding | undefined> {
  const settings = registered?.settings;
  const file = settings && 'api_key_file' in settings ? secretFileOf(settings) : undefined;
  if (file === undefined) return;
  // The file may have been deleted since the probe.
  const mode = (await stat(file).catch(() => undefined))?.mode ?? 0;
  const message = `every user of this machine can read the API key (${file})`;
  return mode & READABLE_BY_ALL ? warning(check, message, `chmod 600 ${file}`) : undefined;
}

/**
 * Returns the path of the file that contains the key or the credentials of a provider, or undefined if the provider has no such
 * file.
 */
function secretFileOf(settings: KeySettings): string | undefined {
  const file = settings.credentials_file ?? settings.api_key_file;
  return file === undefined ? undefined : resolve(file);
}

/** Resolves with the reason why a provider is not ready, with advice. */
async function explain(
  registered: RegisteredProvider | undefined,
  errorCode: string,
  { env, clock, signal }: Examined,
): Promise<{ readonly message: string; readonly advice: string }> {
  const { path = 'providers', settings } = registered ?? {};
  if (errorCode === 'authentication' && settings && 'home' in settings) {
    const home = agentHome(settings.home, env);
    if ('credentials' in settings && settings.credentials === 'state') {
      return {
        message: 'the login in the database is missing, lost or rejected',
        advice: `Log the agent in (codex login) where a replica finds auth.json (${home}), and start that replica.`,
      };
    }
    const problem = await findLoginProblem(home, clock, signal);
    return {
      message: `${problem ?? 'the login has expired and cannot be renewed'} (${home})`,
      advice: `Log the agent in (codex login), or set ${path}.home to the folder of auth.json.`,
    };
  }
  if (errorCode === 'authentication' && settings && 'api_key_file' in settings) {
    const found = await findKeyProblem(settings, env);
    const file = secretFileOf(settings);
    const advice =
      file === undefined
        ? `Set the variable ${settings.api_key_env} in the environment of the bridge, or set ${path}.api_key_file to a file.`
        : found?.field === 'credentials_file'
          ? `Write the key of a service account to ${file}, or log in: gcloud auth application-default login`
          : `Write the key to ${file}, so that only the owner can access the file (chmod 600).`;
    return { message: found?.problem ?? 'the API key cannot be used', advice };
  }
  if (errorCode === 'configuration' && settings && 'workflows' in settings) {
    return {
      message: 'a workflow cannot be read, or has no node or input for a binding',
      advice: `Export the workflows in the API format again, and compare them with ${path}.workflows.`,
    };
  }
  return {
    message: errorCode === 'authentication' ? 'no credentials found' : 'cannot be started',
    advice: `Check the settings of ${path}: image-bridge config show`,
  };
}

const run = promisify(execFile);

const TIMEOUT_MS = 5000;
// The arguments that make bubblewrap create the same namespaces as the agent does when it reads the image of an edit.
const NAMESPACES = ['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--proc', '/proc'];

/**
 * Checks whether an installed bubblewrap works. If bubblewrap is not installed, the agent reads the images of an edit in
 * another way.
 */
export async function checkBubblewrap(examined: Examined): Promise<readonly Finding[]> {
  const { config, env, signal } = examined;
  if (!config.providers.agent_app_server.enabled) return [];
  const bubblewrap = await findExecutable('bwrap', env['PATH']);
  if (bubblewrap === undefined) return [];
  try {
    await run(bubblewrap, [...NAMESPACES, '--', 'true'], { env, signal, timeout: TIMEOUT_MS });
    return [good('bubblewrap', `${bubblewrap} can create namespaces`)];
  } catch {
    const message = `${bubblewrap} cannot create namespaces: edits with agent-app-server will fail`;
    const advice = 'Remove bubblewrap, or allow user namespaces for the user that runs the bridge.';
    return [warning('bubblewrap', message, advice)];
  }
}
