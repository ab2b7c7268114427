import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { parseAuthority } from '../../lib/config/values/addresses.ts';
import { toBridgeError } from '../../lib/errors/bridge-error.ts';
import { readTokens } from '../../lib/tokens/token-file.ts';
import { readWebhookSecrets } from '../../lib/webhooks/webhook-signature.ts';
import { resolveBearer } from '../bearer.ts';
import { isLive } from '../client/liveness.ts';
import { toLocalAddress } from '../local-address.ts';
import { describeHolder, readHolder } from '../locks/activation-lock.ts';
import { lockFile } from '../locks/file-lock.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

/** Whether the address can be listened on, or a bridge listens on it. */
export async function checkPort({ config, signal }: Examined): Promise<Finding> {
  const { bind } = config.server;
  const { host = '', port = 0 } = parseAuthority(bind) ?? {};
  const fault = await tryListen(host, port);
  if (fault === undefined) return good('server.bind', `${bind} is free`);
  if (fault !== 'EADDRINUSE') {
    const allowed =
      'Set server.bind to an address of this machine, and a port that this user may use.';
    return bad('server.bind', `${bind} cannot be listened on (${fault})`, allowed);
  }
  const advice = 'End the other program, or set server.bind.';
  return (await isLive(toLocalAddress(config), signal))
    ? good('server.bind', `a bridge listens on ${bind}`)
    : bad('server.bind', `another program listens on ${bind}`, advice);
}

/** The code of the error, if there is one. */
function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether the token that requests have to carry is there; its value is never shown. */
export function checkBearer({ config, env }: Examined): Finding {
  const variable = config.server.bearer_token_env;
  if (variable === undefined) {
    const isOpen = config.server.tokens_file === undefined;
    return good('server.bearer_token_env', isOpen ? 'no token is demanded' : 'it is not set');
  }
  try {
    resolveBearer(variable, env);
    return good('server.bearer_token_env', `${variable} holds a token`);
  } catch (error) {
    const [, reason = ''] = toBridgeError(error).message.split(': ');
    return bad('server.bearer_token_env', reason, `Export ${variable} with 16 bytes or more.`);
  }
}

/** Whether `server.tokens_file` can be used. */
export function checkTokens({ config }: Examined): readonly Finding[] {
  const path = config.server.tokens_file;
  if (path === undefined) return [];
  const check = 'server.tokens_file';
  try {
    const tokens = readTokens(path).tokens.filter(({ removedSecs }) => removedSecs === undefined);
    return [good(check, `tokens: ${tokens.length}`)];
  } catch (error) {
    const [, ...reason] = toBridgeError(error).message.split(': ');
    const advice = 'A running bridge keeps the tokens from before; a start is refused.';
    return [bad(check, reason.join(': '), advice)];
  }
}

/** Whether the secret of `server.webhooks` can be used, and anything may be sent anywhere. */
export function checkWebhooks({ config, env }: Examined): readonly Finding[] {
  const { enabled, secret_env: variable, allowed_hosts: hosts } = config.server.webhooks;
  if (!enabled || variable === undefined) return [];
  return [
    checkSecret({ config, env }, variable),
    hosts.length > 0
      ? good('server.webhooks.allowed_hosts', `hosts: ${hosts.length}`)
      : warning(
          'server.webhooks.allowed_hosts',
          'no host is listed, so every webhook is refused',
          'List the hosts of the receivers, each with its port unless that is 443.',
        ),
  ];
}

function checkSecret({ config, env }: Pick<Examined, 'config' | 'env'>, variable: string): Finding {
  const check = 'server.webhooks.secret_env';
  try {
    const keys = readWebhookSecrets(config.server.webhooks, env);
    return good(check, `secrets in ${variable}: ${keys?.length ?? 0}`);
  } catch (error) {
    const [, reason = ''] = toBridgeError(error).message.split(': ');
    return bad(check, reason, `Export ${variable} with whsec_ and $(openssl rand -base64 32).`);
  }
}

/** Who holds `server.activation_lock`. */
export function checkActivationLock({ config }: Examined): readonly Finding[] {
  const path = config.server.activation_lock;
  if (path === undefined) return [];
  const check = 'server.activation_lock';
  if (!existsSync(path)) return [good(check, 'it is free')];
  try {
    const lock = lockFile(path);
    lock?.release();
    return [good(check, lock ? 'it is free' : `it is held by ${describeHolder(readHolder(path))}`)];
  } catch {
    const advice = 'It must be an empty file, or none, that the user who serves can write.';
    return [bad(check, 'the file cannot be locked', advice)];
  }
}
