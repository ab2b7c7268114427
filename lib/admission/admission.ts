import type { Config } from '../config/settings/settings.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import {
  type BreakerSnapshot,
  type BreakerState,
  createCircuitBreaker,
} from './circuit-breaker.ts';
import { createGate, type Gate, type GateCounts, type Permit } from './gate.ts';
import type { Permits } from './permits-port.ts';

/** Functions to call when a circuit breaker changes its state or rejects an attempt. */
export interface AdmissionHooks {
  readonly onTransition?: (provider: string, from: BreakerState, to: BreakerState) => void;
  readonly onRejection?: (provider: string) => void;
}

interface Deps {
  readonly runtime: Pick<
    Config['runtime'],
    'global' | 'provider_default' | 'providers' | 'circuit_breaker' | 'circuit_breakers'
  >;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The slots of all replicas. Undefined if the limits hold for this process alone. */
  readonly permits?: Permits | undefined;
  /** The providers in the snapshot. The default is the providers in the settings. */
  readonly providers?: readonly string[];
  readonly hooks?: AdmissionHooks;
}

/** One route attempt of an operation: its slot in the gate of the provider, and its permission from the circuit breaker. */
export interface RoutePass {
  /** The time in milliseconds that the attempt waited in the queue of the provider. */
  readonly waitedMs: number;
  /** Releases the slot and reports the outcome to the breaker. Must be called for every attempt. Later calls have no effect. */
  settle(error?: BridgeError): void;
}

interface GateReport extends GateCounts {
  readonly max_concurrent: number | 'unlimited';
  readonly max_queued: number | 'unlimited';
}

export interface AdmissionSnapshot {
  readonly global: GateReport;
  readonly providers: Readonly<Record<string, GateReport & { readonly breaker: BreakerSnapshot }>>;
}

export type Admission = ReturnType<typeof createAdmission>;

/** Decides which operations start, wait or are rejected, according to the `runtime` settings. */
export function createAdmission({ runtime, clock, permits, providers, hooks }: Deps) {
  const { max_concurrent: maxConcurrent, max_queued: maxQueued } = runtime.global;
  const name = 'runtime.global.max_queued';
  const global = createGate({ name, maxConcurrent, maxQueued, permits, clock });
  const entries = new Map<string, ReturnType<typeof openEntry>>();
  for (const provider of providers ?? Object.keys(runtime.providers)) entryOf(provider);

  function entryOf(provider: string) {
    const entry = entries.get(provider) ?? openEntry(provider);
    entries.set(provider, entry);
    return entry;
  }

  function openEntry(provider: string) {
    const bounds = settingsOf(runtime.providers, provider) ?? runtime.provider_default;
    const gate = createGate({
      name: `runtime.providers.${provider}.max_queued`,
      maxConcurrent: bounds.max_concurrent,
      maxQueued: bounds.max_queued,
      provider,
      permits,
      clock,
    });
    const breaker = createCircuitBreaker({
      settings: settingsOf(runtime.circuit_breakers, provider) ?? runtime.circuit_breaker,
      onTransition: (from, to) => hooks?.onTransition?.(provider, from, to),
      onRejection: () => hooks?.onRejection?.(provider),
      provider,
      clock,
    });
    return { gate, breaker };
  }

  return {
    /**
     * Enters the gate of all operations. Call once per operation, even if the operation tries several routes. `onQueued` is
     * called immediately, with true if the operation has to wait. Rejects with the signal's reason if the signal aborts first.
     * Throws `overloaded` if the queue is full, unless `waitsWhenFull` is true.
     */
    enterOperation: (
      signal: AbortSignal,
      onQueued?: (waits: boolean) => void,
      waitsWhenFull?: boolean,
    ): Promise<Permit> => global.enter(signal, onQueued, waitsWhenFull),

    /** Throws `overloaded` if the queue is full, so that no work is done for an operation that would be rejected. */
    checkOperation: (): void => global.check(),

    /**
     * Enters the gate of a provider, like `enterOperation`. Call once per route attempt, even if the attempt makes several
     * calls. Throws `overloaded` without waiting if the circuit breaker is open.
     */
    async enterRoute(
      provider: string,
      signal: AbortSignal,
      onQueued?: (waits: boolean) => void,
      waitsWhenFull?: boolean,
    ): Promise<RoutePass> {
      const { gate, breaker } = entryOf(provider);
      breaker.check();
      const permit = await gate.enter(signal, onQueued, waitsWhenFull);
      try {
        // No probe is used for a client that has disconnected.
        signal.throwIfAborted();
        // The breaker may have opened while this attempt waited.
        const pass = breaker.admit();
        return {
          waitedMs: permit.waitedMs,
          settle(error) {
            // The outcome is counted before the slot is released, because the next operation in the slot must see the new state.
            pass.settle(error);
            permit.release();
          },
        };
      } catch (refusal) {
        permit.release();
        throw refusal;
      }
    },

    /**
     * Returns the error with which the circuit breaker would reject an attempt now. Undefined if the circuit breaker would
     * admit the attempt.
     */
    findRefusal: (provider: string): BridgeError | undefined => entryOf(provider).breaker.refusal(),

    /** Returns the `runtime` part of the diagnostics. */
    snapshot(): AdmissionSnapshot {
      return {
        global: report(global),
        providers: Object.fromEntries(
          [...entries].map(([provider, { gate, breaker }]) => [
            provider,
            { ...report(gate), breaker: breaker.state() },
          ]),
        ),
      };
    },
  };
}

function settingsOf<S>(
  byProvider: Readonly<Partial<Record<string, S>>>,
  provider: string,
): S | undefined {
  return Object.hasOwn(byProvider, provider) ? byProvider[provider] : undefined;
}

function report(gate: Gate): GateReport {
  return { ...gate.counts(), ...gate.limits };
}
