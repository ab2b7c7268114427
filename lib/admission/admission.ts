import type { Config } from '../config/settings/settings.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import {
  type BreakerPass,
  type BreakerSnapshot,
  type BreakerState,
  createCircuitBreaker,
} from './circuit-breaker.ts';
import { createGate, type Gate, type GateCounts, type Permit } from './gate.ts';

/** Called when a breaker changes or refuses. */
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
  /** Those that the snapshot names; all that the settings know unless given. */
  readonly providers?: readonly string[];
  readonly hooks?: AdmissionHooks;
}

/** One route attempt of an operation: its slot in the gate of the provider, and its pass of the breaker. */
export interface RoutePass {
  /** How long it waited in the queue of the provider. */
  readonly waitedMs: number;
  /** Releases the slot and reports the outcome to the breaker. Must be called; only the first call counts. */
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

/** Decides which operations may start now, which wait and which are refused: `runtime.*`, contract.md 13. */
export function createAdmission({ runtime, clock, providers, hooks }: Deps) {
  const { max_concurrent: maxConcurrent, max_queued: maxQueued } = runtime.global;
  const global = createGate({
    name: 'runtime.global.max_queued',
    maxConcurrent,
    maxQueued,
    clock,
  });
  const entries = new Map<string, ReturnType<typeof openEntry>>();
  for (const provider of providers ?? Object.keys(runtime.providers)) entryOf(provider);

  function entryOf(provider: string) {
    const known = entries.get(provider);
    if (known) return known;
    const made = openEntry(provider);
    entries.set(provider, made);
    return made;
  }

  function openEntry(provider: string) {
    const bounds = settingsOf(runtime.providers, provider) ?? runtime.provider_default;
    const gate = createGate({
      name: `runtime.providers.${provider}.max_queued`,
      maxConcurrent: bounds.max_concurrent,
      maxQueued: bounds.max_queued,
      provider,
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
     * Once an operation, whatever its routes. `onQueued` is called at once, with whether it has to wait. Rejects with the
     * signal's reason when it aborts first. Throws `overloaded` when the queue is full, unless it `waitsWhenFull`.
     */
    enterOperation: (
      signal: AbortSignal,
      onQueued?: (waits: boolean) => void,
      waitsWhenFull?: boolean,
    ): Promise<Permit> => global.enter(signal, onQueued, waitsWhenFull),

    /** Refuses an operation when the queue is full, before any work is done for it. Throws `overloaded`. */
    checkOperation: (): void => global.check(),

    /** Once a route attempt, whatever its fan-out. Like `enterOperation`; an open breaker refuses without any wait. */
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
        // A client that disconnected must not use up a probe.
        signal.throwIfAborted();
        // It may have opened while this one waited.
        return toRoutePass(permit, breaker.admit());
      } catch (refusal) {
        permit.release();
        throw refusal;
      }
    },

    /** The error that the breaker of the provider would refuse an attempt with now; undefined if it would admit one. */
    findRefusal: (provider: string): BridgeError | undefined => entryOf(provider).breaker.refusal(),

    /** The `runtime` of the diagnostics (contract.md 12). */
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

function toRoutePass(permit: Permit, pass: BreakerPass): RoutePass {
  return {
    waitedMs: permit.waitedMs,
    settle(error) {
      // The outcome first: the next operation in this slot must see a breaker that has counted it.
      pass.settle(error);
      permit.release();
    },
  };
}

function report(gate: Gate): GateReport {
  return { ...gate.counts(), ...gate.limits };
}
