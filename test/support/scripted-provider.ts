import type { CapabilityDocument } from '../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type {
  CallOutline,
  MaskForm,
  Provider,
  ProviderContext,
  ProviderOutput,
  ProviderReadiness,
  ProviderRequest,
  ProviderResult,
  ProviderSessions,
} from '../../lib/providers/provider-port.ts';

/** One call that a test completes. */
export interface ScriptedCall {
  readonly request: ProviderRequest;
  readonly context: ProviderContext;
  /** Reports that the call is dispatched, as a provider does before the call can have any effect. */
  dispatch(): void;
  /** Reports that the provider has accepted the call as a task. Resolves with true if the ticket is stored. */
  accept(ticket: string): Promise<boolean>;
  succeed(result: ProviderResult): void;
  fail(error: Error): void;
}

export interface Script {
  readonly name?: string;
  readonly models?: readonly string[];
  /** Capabilities of every model. */
  readonly capabilities: CapabilityDocument;
  readonly retry?: Provider['retry'];
  /** By default the number in `capabilities`. */
  readonly maxParallelCalls?: number;
  /** Form in which its models read emulated masks. */
  readonly maskForm?: MaskForm;
  /** Returns the error for requests that it rejects before a call. */
  readonly refuse?: (call: CallOutline) => void;
  /** Replies to each call at once. Without it a test replies through `call`. */
  readonly reply?: (call: ScriptedCall) => void | Promise<void>;
  readonly sourceType?: Provider['sourceType'];
  /** True if a call rejects with the reason of the signal, as the port requires. */
  readonly obeys?: boolean;
  readonly probe?: () => Promise<ProviderReadiness>;
  /** Existing threads, with which the provider has sessions. A restarted agent gets the same set. */
  readonly threads?: Set<string>;
}

export interface ScriptedProvider extends Provider {
  /** All calls so far. */
  readonly calls: readonly ScriptedCall[];
  /** Resolves with the nth call, counted from 0, as soon as it is made. */
  call(nth: number): Promise<ScriptedCall>;
}

/** Creates a provider whose calls a test observes and completes. */
export function createScriptedProvider(script: Script): ScriptedProvider {
  const { name = 'scripted', models = ['scripted-image'], obeys = true, maskForm, refuse } = script;
  const calls: ScriptedCall[] = [];
  const waiting = new Map<number, (call: ScriptedCall) => void>();

  return {
    name,
    sourceType: script.sourceType ?? 'trainedAlgorithmicMedia',
    retry: script.retry ?? { attempts: 1, backoffMs: 0 },
    maxParallelCalls: script.maxParallelCalls ?? script.capabilities.batching.max_parallel_outputs,
    describe: () => ({
      displayName: name,
      version: '1.0.0',
      experimental: false,
      models,
      defaultModel: models[0] ?? '',
    }),
    capabilities: (model) =>
      models.includes(model) ? { ...script.capabilities, provider: name, model } : undefined,
    ...(maskForm ? { maskForm: () => maskForm } : {}),
    ...(refuse ? { refuse } : {}),
    execute(request, context) {
      const { threadId } = request;
      if (threadId !== undefined && !script.threads?.has(threadId)) {
        return Promise.reject(new BridgeError('session_not_found', 'the thread is unknown'));
      }
      return new Promise((resolve, reject) => {
        const call: ScriptedCall = {
          request,
          context,
          dispatch: () => context.onEvent({ type: 'progress', stage: 'dispatched' }),
          accept: context.accepted,
          succeed: resolve,
          fail: reject,
        };
        if (obeys) context.signal.addEventListener('abort', () => reject(context.signal.reason));
        const nth = calls.push(call) - 1;
        waiting.get(nth)?.(call);
        Promise.resolve(script.reply?.(call)).catch(reject);
      });
    },
    probe: script.probe ?? (async () => ({ ready: true })),
    ...(script.threads ? { sessions: scriptedSessions(script.threads) } : {}),
    close: async () => {},
    calls,
    call(nth) {
      const come = calls[nth];
      if (come) return Promise.resolve(come);
      return new Promise((resolve) => waiting.set(nth, resolve));
    },
  };
}

function scriptedSessions(threads: Set<string>): ProviderSessions {
  return {
    async createThread({ requestId, model }) {
      const threadId = `thread-${threads.size + 1} of ${model} for ${requestId}`;
      threads.add(threadId);
      return threadId;
    },
    async deleteThread(threadId) {
      threads.delete(threadId);
    },
  };
}

/** Replies to a call with the requested number of copies of one image. */
export function replyWith(bytes: Buffer, more: Partial<ProviderOutput> = {}) {
  return (call: ScriptedCall): void => {
    call.dispatch();
    call.succeed({ outputs: call.request.indices.map(() => ({ bytes, ...more })) });
  };
}
