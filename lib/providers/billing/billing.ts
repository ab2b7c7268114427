import type { Amount } from '../../contract/reply/cost.ts';
import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { readWhole } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import { linkSignal } from '../../platform/linked-signal.ts';
import { parseBounded } from '../http/bounded-json.ts';
import type { ProviderBilling } from '../provider-port.ts';

/** The requests with which a service reports what it has charged. */
export interface BillingSource {
  /** Maximum number of ids in one request. */
  readonly idsPerRequest: number;
  /** Returns the path of the request for these ids, with its query. */
  path(ids: readonly string[], sinceDay: number): string;
  /** Returns the charged amounts by id, or undefined if the reply does not have the form of the service. */
  charges(reply: unknown): ReadonlyMap<string, Amount> | undefined;
}

interface Deps {
  readonly source: BillingSource;
  /** The address below which the path is requested. */
  readonly address: string;
  /** Resolves with the headers of a request. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
}

const READ_MS = 30_000;
const MAX_REPLY_BYTES = 1_048_576;
const BOUNDS = { maxNames: 32_768, maxNested: 8192 };
// Requests that are sent at the same time.
const PARALLEL = 8;

/** Creates the reader of a service's charges. */
export function createBilling({ source, address, headers, httpClient, clock }: Deps) {
  async function read(path: string, signal: AbortSignal): Promise<ReadonlyMap<string, Amount>> {
    const request = { method: 'GET', headers: await headers(), signal } as const;
    const { status, body } = await httpClient.request(`${address}${path}`, request);
    if (status !== 200) {
      body.destroy();
      // The service has not billed the call yet.
      if (status === 404) return new Map();
      throw refusalOf(status);
    }
    const bytes = await readWhole(body, MAX_REPLY_BYTES);
    const charges = bytes && source.charges(parseBounded(bytes, BOUNDS));
    if (charges) return charges;
    throw unreadable('unexpected_reply');
  }

  async function readInTime(path: string, signal: AbortSignal) {
    const link = linkSignal(signal);
    const stopTimer = clock.after(READ_MS, () => link.abort(unreadable('too_slow')));
    try {
      return await read(path, link.signal);
    } catch (thrown) {
      signal.throwIfAborted();
      // A read that is lost has no effect and can be repeated, unlike a call.
      const error = toBridgeError(thrown);
      throw error.code === 'protocol' ? unreadable('connection_lost') : error;
    } finally {
      stopTimer();
      link.end();
    }
  }

  return {
    async chargesOf(ids, sinceDay, signal) {
      const paths = inGroups(ids, source.idsPerRequest).map((group) =>
        source.path(group, sinceDay),
      );
      const charges = new Map<string, Amount>();
      for (const group of inGroups(paths, PARALLEL)) {
        const found = await Promise.all(group.map((path) => readInTime(path, signal)));
        for (const [id, amount] of found.flatMap((some) => [...some])) charges.set(id, amount);
      }
      return new Map([...charges].filter(([id]) => ids.includes(id)));
    },
  } satisfies ProviderBilling;
}

function inGroups<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, group) => group * size);
  return starts.map((start) => items.slice(start, start + size));
}

function refusalOf(status: number): BridgeError {
  if (status === 401)
    return new BridgeError('provider_authentication', 'the backend rejected the key');
  if (status === 403) {
    return new BridgeError(
      'permission_denied',
      'the key has no permission to read the charges of the account',
    );
  }
  return unreadable('unexpected_status');
}

/** Returns the error of charges that cannot be read. `reason` is a stable name. */
function unreadable(reason: string): BridgeError {
  return new BridgeError('upstream', 'the charges of the service cannot be read', {
    details: { reason },
  });
}
