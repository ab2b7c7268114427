import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';
import { BridgeError, type BridgeErrorOptions } from '../../../lib/errors/bridge-error.ts';
import type { CallEffect } from '../../../lib/errors/call-effect.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type {
  Provider,
  ProviderContext,
  ProviderOutput,
  ProviderRequest,
} from '../../../lib/providers/provider-port.ts';
import { anything } from '../../lib/generation/capability-documents.ts';
import type { CallEnd, CallPlan } from './money-case.ts';

/** One attempt of a provider call, as the provider knows it. */
export interface Sale {
  /** Prompt of the request, which identifies it. */
  readonly request: string;
  readonly route: number;
  readonly indices: readonly number[];
  readonly attempt: number;
  readonly life: number;
  isDispatched: boolean;
  /** Number of images that are charged in the end, whether or not the bridge learns about them. */
  sold: number;
  /** True if the bridge learned in time about the end of the call, so that it knows `sold`. */
  isKnown: boolean;
  /** True if the failure reported an unknown outcome. */
  isReportedUnknown: boolean;
  /** Indices whose image the bridge received and can use. */
  good: readonly number[];
  /** Indices whose image the bridge received and cannot use. */
  bad: readonly number[];
  /** True if the signal aborted before the call ended. */
  isAborted: boolean;
  /** True if the call was aborted and did not stop in time, so that the bridge cannot know if it was dispatched. */
  isOverdue: boolean;
}

interface Deps {
  readonly route: number;
  /** Returns the plan of a call. */
  planOf(request: string, route: number, call: number, attempt: number): CallPlan;
  /** Returns a small image. Its width and height identify route and index. */
  imageOf(route: number, index: number): Buffer;
  /** Counts a step. Never throws. */
  onStep(name: string): void;
  /** Life of the process that the call belongs to. */
  readonly life: number;
  isOver(): boolean;
  onSale(sale: Sale): void;
  /** Called when a call waits until its signal aborts. */
  onHang(call: ProviderContext): void;
}

const NEVER = new Promise<never>(() => {});
const NO_IMAGE = Buffer.from('this is no image at all');

export function sellerName(route: number): string {
  return ['first', 'second', 'third'][route] ?? 'none';
}

/** Number of calls that the provider of a route runs at the same time. */
function parallelCallsOf(route: number): number {
  return [2, 1, 3][route] ?? 1;
}

export function sellerModel({ native }: { readonly native: number }): string {
  return `native-${native}`;
}

/** A provider that follows a plan and records its actual sales. */
export function createSeller(deps: Deps): Provider {
  const { route, planOf, imageOf, onStep, life, isOver, onSale, onHang } = deps;
  const name = sellerName(route);
  const models = [1, 2, 3, 4].map((native) => sellerModel({ native }));
  const maxParallelCalls = parallelCallsOf(route);

  async function execute(request: ProviderRequest, context: ProviderContext) {
    const { signal, attempt, onEvent } = context;
    if (isOver()) await NEVER;
    const native = nativeOf(request.model);
    const { indices } = request;
    const plan = planOf(request.prompt, route, Math.floor((indices[0] ?? 0) / native), attempt);
    const sale: Sale = {
      request: request.prompt,
      route,
      indices,
      attempt,
      life,
      isDispatched: false,
      sold: 0,
      isKnown: true,
      isReportedUnknown: false,
      good: [],
      bad: [],
      isAborted: false,
      isOverdue: false,
    };
    onSale(sale);

    /** Rejects when the signal aborts, unless the plan ignores it. */
    const aborted = plan.isDeaf ? NEVER : rejectOnAbort(signal);
    aborted.catch(() => {});
    const { end, turns } = plan;
    const step = async (count: number, what: string) => {
      await Promise.race([passTurns(count), aborted]);
      onStep(`${name} ${what}`);
      if (isOver()) await NEVER;
      if (!plan.isDeaf) signal.throwIfAborted();
    };

    try {
      await step(turns[0], 'begins');
      if (end.type === 'refused') throw refusalOf(end.code, undefined);
      sale.isDispatched = true;
      // Surplus images are charged for only if the bridge receives them.
      sale.sold = Math.min(soldBy(end, indices.length), indices.length);
      sale.isKnown = false;
      onEvent({ type: 'progress', stage: 'dispatched' });
      if (end.type === 'unknown' && end.isPartial) {
        const bytes = imageOf(route, indices[0] ?? 0);
        onEvent({ type: 'partial_image', index: indices[0] ?? 0, partialIndex: 0, bytes });
      }
      if (end.type === 'hang') {
        onHang(context);
        await aborted;
        await NEVER;
      }
      await step(turns[1], 'ends');
      return settle(sale, end, signal.aborted);
    } finally {
      sale.isAborted = signal.aborted;
      sale.isOverdue = signal.aborted && plan.isDeaf;
    }
  }

  function settle(sale: Sale, end: CallEnd, isLate: boolean) {
    // After its signal aborts, the bridge may or may not wait for the call.
    if (!isLate) sale.isKnown = end.type !== 'unknown';
    switch (end.type) {
      case 'not_begun':
        throw refusalOf(end.code, 'not_begun');
      case 'nothing_made':
        throw failureOf(end.code);
      case 'made':
        throw errorOf('protocol', { effect: 'made' });
      case 'unknown':
        sale.isReportedUnknown = !isLate;
        if (end.code === 'bug') throw new TypeError('a defect of an adapter');
        throw errorOf(end.code, { effect: 'unknown', details: { outcome: 'unknown' } });
      case 'images': {
        if (!isLate) sale.sold = soldBy(end, sale.indices.length);
        const outputs = outputsOf(sale, end, (index) => imageOf(route, index));
        if (outputs.length < sale.indices.length && !isLate) {
          sale.isKnown = false;
          sale.isReportedUnknown = true;
        }
        return { outputs };
      }
      default:
        throw new Error('it ends with its signal');
    }
  }

  return {
    name,
    sourceType: 'trainedAlgorithmicMedia',
    retry: { attempts: 2, backoffMs: 1 },
    maxParallelCalls,
    describe: () => ({
      displayName: name,
      version: '1.0.0',
      experimental: false,
      models,
      defaultModel: models[0] ?? '',
    }),
    capabilities: (model) =>
      models.includes(model) ? capabilitiesOf(name, model, maxParallelCalls) : undefined,
    execute,
    probe: async () => ({ ready: true }),
    close: async () => {},
  };
}

function soldBy(end: CallEnd, asked: number): number {
  switch (end.type) {
    case 'made':
      return asked;
    case 'unknown':
    case 'hang':
      return Math.min(end.sold, asked);
    case 'images':
      return Math.max(0, asked + end.more);
    default:
      return 0;
  }
}

/** Records the images that the bridge can use. A reply with a wrong number of images provides none of them. */
function outputsOf(
  sale: Sale,
  { bad, more }: Extract<CallEnd, { type: 'images' }>,
  imageOf: (index: number) => Buffer,
): ProviderOutput[] {
  const { indices } = sale;
  const isBad = (position: number) => bad.includes(position);
  if (more === 0) {
    sale.good = indices.filter((_, position) => !isBad(position));
    sale.bad = indices.filter((_, position) => isBad(position));
  }
  return Array.from({ length: sale.sold }, (_, position) => ({
    bytes: isBad(position) ? NO_IMAGE : imageOf(indices[position] ?? 0),
  }));
}

function errorOf(code: ErrorCode, options: BridgeErrorOptions): BridgeError {
  return new BridgeError(code, 'as the plan says', options);
}

function refusalOf(
  code: Extract<CallEnd, { type: 'refused' }>['code'],
  effect: CallEffect | undefined,
): BridgeError {
  const options = effect === undefined ? {} : { effect };
  if (code !== 'quota') return errorOf(code, options);
  return errorOf('rate_limited', { ...options, retryable: false, details: { reason: 'quota' } });
}

function failureOf(code: Extract<CallEnd, { type: 'nothing_made' }>['code']): BridgeError {
  const effect = 'nothing_made';
  if (code === 'transient')
    return errorOf('upstream', { effect, transient: true, retryable: true });
  if (code === 'upstream_retryable') return errorOf('upstream', { effect, retryable: true });
  return errorOf(code, { effect });
}

function nativeOf(model: string): number {
  return Number(model.match(/\d+/)?.[0]);
}

function capabilitiesOf(
  provider: string,
  model: string,
  maxParallelCalls: number,
): CapabilityDocument {
  const native = nativeOf(model);
  return {
    ...anything,
    provider,
    model,
    batching: {
      mode: native > 1 ? 'native' : 'fan_out',
      native_count: { min: 1, max: native },
      max_parallel_outputs: maxParallelCalls,
    },
    partial_images: { min: 0, max: 3 },
  };
}

async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
