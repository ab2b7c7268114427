import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { abortable } from '../../platform/abortable.ts';
import { type Clock, nowSecs } from '../../platform/clock.ts';
import type { ApiKeySource } from './api-key.ts';
import {
  findCredentialsProblem,
  GOOGLE_PROBLEMS,
  readGoogleCredentials,
  tokenForm,
} from './google-credentials.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

interface Deps {
  /** The setting `credentials_file`. */
  readonly path: string;
  /** The setting `token_endpoint`. */
  readonly tokenEndpoint: string;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
}

interface Access {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** A token that expires within this time is renewed before it is used. */
const MIN_LIFE_MS = 60_000;

/**
 * Creates the source of access tokens for a service account or a user of Google Cloud. All calls share one token and
 * one renewal. The file is read again for every renewal. Errors contain neither the credentials nor the path.
 */
export function createGoogleAccess({ path, tokenEndpoint, httpClient, clock }: Deps): ApiKeySource {
  const ask = createTokenEndpoint({ url: tokenEndpoint, httpClient, clock });
  let current: Access | undefined;
  let running: Promise<Access> | undefined;

  async function renew(): Promise<Access> {
    const credentials = await readGoogleCredentials(path);
    if ('problem' in credentials) {
      throw new BridgeError('provider_authentication', GOOGLE_PROBLEMS[credentials.problem]);
    }
    const form = tokenForm(credentials, tokenEndpoint, nowSecs(clock));
    const beganMs = clock.nowMs();
    const { status, value } = await ask({
      contentType: 'application/x-www-form-urlencoded',
      body: form.toString(),
    }).catch((cause) => {
      throw failed(cause);
    });
    // A rejection has this status (RFC 6749, section 5.2). Other failures may pass.
    if (status === 400 || status === 401) {
      const message = 'the token endpoint rejected the credentials in `credentials_file`';
      throw new BridgeError('provider_authentication', message);
    }
    const grant = v.safeParse(Grant, value);
    if (status !== 200 || !grant.success) throw failed();
    const { access_token: token, expires_in: lifeSecs } = grant.output;
    return { token, expiresAtMs: beganMs + lifeSecs * 1000 };
  }

  /** Waits for the running renewal or starts a renewal. If the signal aborts, only the wait ends. */
  async function renewed(signal: AbortSignal | undefined): Promise<Access> {
    running ??= renew()
      .then((access) => {
        current = access;
        return access;
      })
      .finally(() => {
        running = undefined;
      });
    return signal ? abortable(running, signal) : running;
  }

  async function key(signal?: AbortSignal): Promise<string> {
    const isValid = current !== undefined && current.expiresAtMs - clock.nowMs() > MIN_LIFE_MS;
    return (isValid && current ? current : await renewed(signal)).token;
  }

  return {
    key,

    /** Renews the token if it is still the token that the upstream rejected. */
    async changed(since, signal) {
      if (current?.token === since) current = undefined;
      return (await key(signal)) !== since;
    },

    problem: () => findCredentialsProblem(path),

    async readiness() {
      const isReady = (await findCredentialsProblem(path)) === undefined;
      return isReady ? { ready: true } : { ready: false, errorCode: 'authentication' };
    },
  };
}

const Grant = v.object({
  // The token is sent in a header.
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,16384}$/)),
  expires_in: v.pipe(v.number(), v.minValue(1), v.maxValue(1e9)),
});

function failed(cause?: unknown): BridgeError {
  const message = 'the token endpoint did not issue an access token';
  return new BridgeError('upstream', message, { retryable: true, cause });
}
