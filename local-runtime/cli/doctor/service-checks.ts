import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { reasonOf } from '../../../lib/config/problem.ts';
import { parseAuthority } from '../../../lib/config/values/addresses.ts';
import { toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { readPrices } from '../../../lib/prices/price-rows.ts';
import { checkSigning } from '../../../lib/provenance/check-signing.ts';
import { readTokens } from '../../../lib/tokens/token-file.ts';
import { readWebhookSecrets } from '../../../lib/webhooks/webhook-secrets.ts';
import { isLive } from '../../client/liveness.ts';
import { resolveBearer } from '../../server/bearer.ts';
import { describeHolder, readHolder } from '../../server/locks/activation-lock.ts';
import { lockFile } from '../../server/locks/file-lock.ts';
import { toLocalAddress } from '../with-service.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

/** Checks whether the address `server.bind` can be bound, or a bridge is already listening at the address. */
export async function checkPort({ config, signal }: Examined): Promise<Finding> {
  const { bind } = config.server;
  const { host = '', port = 0 } = parseAuthority(bind) ?? {};
  const fault = await tryListen(host, port);
  if (fault === undefined) return good('server.bind', `${bind} is free`);
  if (fault !== 'EADDRINUSE') {
    const advice =
      'Set server.bind to an address of this machine and a port that this user may use.';
    return bad('server.bind', `${bind} cannot be bound (${fault})`, advice);
  }
  const advice = 'Stop the other program, or set server.bind to another address.';
  return (await isLive(toLocalAddress(config), signal))
    ? good('server.bind', `a bridge is listening on ${bind}`)
    : bad('server.bind', `another program is listening on ${bind}`, advice);
}

/** Resolves with the code of the error, or with undefined if the address can be bound. */
function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Checks whether the bearer token is available. The finding never contains the token. */
export function checkBearer({ config, env }: Examined): Finding {
  const variable = config.server.bearer_token_env;
  if (variable === undefined) {
    const isOpen = config.server.tokens_file === undefined;
    return good('server.bearer_token_env', isOpen ? 'no token is required' : 'not set');
  }
  try {
    resolveBearer(variable, env);
    return good('server.bearer_token_env', `${variable} contains a token`);
  } catch (error) {
    const advice = `Set ${variable} to a token of at least 16 bytes.`;
    return bad('server.bearer_token_env', reasonOf(error), advice);
  }
}

/** Checks whether `server.tokens_file` can be used. */
export function checkTokens({ config }: Examined): readonly Finding[] {
  const path = config.server.tokens_file;
  if (path === undefined) return [];
  const check = 'server.tokens_file';
  try {
    const tokens = readTokens(path).filter(({ removedSecs }) => removedSecs === undefined);
    return [good(check, `tokens: ${tokens.length}`)];
  } catch (error) {
    const advice =
      'Correct the file. A running bridge keeps the previous tokens, but a new start fails.';
    return [bad(check, reasonOf(error), advice)];
  }
}

/** Checks whether `runtime.prices_file` can be used. */
export function checkPrices({ config }: Examined): readonly Finding[] {
  const path = config.runtime.prices_file;
  if (path === undefined) return [];
  const check = 'runtime.prices_file';
  try {
    return [good(check, `prices: ${readPrices(path).length}`)];
  } catch (error) {
    return [
      bad(check, reasonOf(error), 'Correct the file. The bridge does not start with this file.'),
    ];
  }
}

/** Checks whether the secret of `server.webhooks` is available, and whether at least one host is allowed. */
export function checkWebhooks({ config, env }: Examined): readonly Finding[] {
  const { enabled, secret_env: variable, allowed_hosts: hosts } = config.server.webhooks;
  if (!enabled || variable === undefined) return [];
  const allowed = 'server.webhooks.allowed_hosts';
  const problem = 'no host is allowed, so every webhook is rejected';
  const advice = 'List the hosts of the receivers, with the port if the port is not 443.';
  return [
    checkSecret({ config, env }, variable),
    hosts.length > 0 ? good(allowed, `hosts: ${hosts.length}`) : warning(allowed, problem, advice),
  ];
}

function checkSecret({ config, env }: Pick<Examined, 'config' | 'env'>, variable: string): Finding {
  const check = 'server.webhooks.secret_env';
  try {
    const keys = readWebhookSecrets(config.server.webhooks, env);
    return good(check, `secrets in ${variable}: ${keys?.length ?? 0}`);
  } catch (error) {
    const advice = `Set ${variable} to whsec_ followed by the output of: openssl rand -base64 32`;
    return bad(check, reasonOf(error), advice);
  }
}

/** Checks the certificates and the key of `provenance` by signing a small image. */
export async function checkCredentials({ config, clock }: Examined): Promise<readonly Finding[]> {
  const check = 'provenance';
  try {
    const { days, warning: ending } = await checkSigning(config, clock);
    if (days === undefined) return [];
    const advice = 'Get a new certificate, and write it to provenance.signing.certificate_file.';
    if (ending !== undefined) return [warning(check, ending, advice)];
    return [good(check, `images can be signed; the certificates expire in ${days} days`)];
  } catch (error) {
    const advice =
      'Correct the files. A running bridge keeps the previous files, but a new start fails.';
    return [bad(check, toBridgeError(error).message, advice)];
  }
}

/** Checks whether the file `server.activation_lock` can be locked. Names the process that holds the lock. */
export function checkActivationLock({ config }: Examined): readonly Finding[] {
  const path = config.server.activation_lock;
  if (path === undefined) return [];
  const check = 'server.activation_lock';
  if (!existsSync(path)) return [good(check, 'free')];
  try {
    const lock = lockFile(path);
    lock?.release();
    return [good(check, lock ? 'free' : `held by ${describeHolder(readHolder(path))}`)];
  } catch {
    const advice = 'Use an empty or missing file that the user who runs the bridge can write.';
    return [bad(check, 'the file cannot be locked', advice)];
  }
}
