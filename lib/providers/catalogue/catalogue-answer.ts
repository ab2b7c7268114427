import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { readWhole } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import { linkSignal } from '../../platform/linked-signal.ts';
import { createThreadPool } from '../../platform/thread-pool.ts';
import type { CatalogueKind, CataloguePage, Offer, Offers, PageRequest } from './catalogue-page.ts';
import type { PageTask, ParsedPage } from './parse-page.ts';

export interface AnswerDeps extends Pick<PageRequest, 'constants' | 'listed'> {
  readonly kind: CatalogueKind;
  /** The address below which the paths are requested. */
  readonly address: string;
  /** The paths of the first replies. */
  readonly paths: readonly string[];
  /** Resolves with the headers of a request. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly clock: Clock;
}

const READ_MS = 60_000;

// Limits on one answer. The largest known answer has 1,500 models in 40 replies.
const MAX_REPLY_BYTES = 16_777_216;
const MAX_REPLIES = 1000;
const MAX_MODELS = 3000;

// Without limits, the thread would collect garbage late and use 100 MB more than the replies need.
const MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 } as const;

/** All models of a service. */
export interface CatalogueAnswer {
  /** The facts of the models, by name. */
  readonly models: ReadonlyMap<string, unknown>;
  readonly offers: Offers;
  /** False if a reply with offers could not be read. */
  readonly hasAllOffers: boolean;
}

/** Creates the reader of a service's models. The replies are parsed in a thread. */
export function createAnswerReader(deps: AnswerDeps) {
  const { kind, address, paths, headers, constants, listed, httpClient, clock } = deps;
  const pool = createThreadPool<PageTask, ParsedPage>({
    name: 'parsePage',
    worker: '#catalogue-worker',
    threads: 1,
    memory: MEMORY,
  });

  async function readPage(path: string, signal: AbortSignal): Promise<CataloguePage> {
    const request = { method: 'GET', headers: await headers(), signal } as const;
    const { status, body } = await httpClient.request(`${address}${path}`, request);
    if (status !== 200) {
      body.destroy();
      // The service does not have a model of the settings.
      if (status === 404) return { items: [], more: [] };
      throw unreadable('unexpected_status');
    }
    const bytes = await readWhole(body, MAX_REPLY_BYTES);
    if (!bytes) throw unreadable('too_many_bytes');
    const own = ownMemory(bytes);
    const { page } = await pool.run({ kind, path, bytes: own, constants, listed }, signal, [own]);
    if (page) return page;
    throw unreadable('unexpected_reply');
  }

  async function readInTime(path: string, signal: AbortSignal): Promise<CataloguePage> {
    const link = linkSignal(signal);
    const stopTimer = clock.after(READ_MS, () => link.abort(unreadable('too_slow')));
    try {
      return await readPage(path, link.signal);
    } finally {
      stopTimer();
      link.end();
    }
  }

  /** Resolves with undefined if the reply cannot be read, because the models are known without their prices. */
  async function readOffers(path: string, signal: AbortSignal): Promise<CataloguePage | undefined> {
    try {
      return await readInTime(path, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof BridgeError) return undefined;
      throw thrown;
    }
  }

  return {
    /** Resolves with all models. Throws if a reply with models fails or the answer exceeds a limit. */
    async read(signal: AbortSignal): Promise<CatalogueAnswer> {
      const waiting = [...paths];
      const pricing: string[] = [];
      const models = new Map<string, unknown>();
      for (let replies = 0; waiting.length > 0; replies += 1) {
        if (replies === MAX_REPLIES) throw unreadable('too_many_replies');
        const page = await readInTime(waiting.shift() ?? '', signal);
        for (const { name, facts } of page.items) models.set(name, facts);
        if (models.size > MAX_MODELS) throw unreadable('too_many_models');
        waiting.push(...page.more);
        pricing.push(...(page.pricing ?? []));
      }
      const offers = new Map<string, readonly Offer[]>();
      let hasAllOffers = pricing.length <= MAX_REPLIES;
      for (const path of pricing.slice(0, MAX_REPLIES)) {
        const page = await readOffers(path, signal);
        hasAllOffers &&= page !== undefined;
        for (const [name, found] of page?.offers ?? []) offers.set(name, found);
      }
      return { models, offers, hasAllOffers };
    },

    close: pool.close,
  };
}

/** Returns the bytes in memory that can be transferred to a thread. Only a short reply is copied. */
function ownMemory(bytes: Buffer): ArrayBuffer {
  const { buffer, byteLength } = bytes;
  // Node keeps short buffers together in one memory.
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isAlone ? buffer : new Uint8Array(bytes).buffer;
}

/** Returns the error of a refresh that changes nothing. `reason` is a stable name. */
export function unreadable(reason: string): BridgeError {
  return new BridgeError('upstream', 'the list of models cannot be read', { details: { reason } });
}
