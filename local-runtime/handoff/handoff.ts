import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import { type Clock, sleep } from '../../lib/platform/clock.ts';
import { readCoordination, type Slot, type Target } from '../gateway/coordination-file.ts';
import type { GatewayState } from '../gateway/gateway-state.ts';
import {
  type HandoffRecord,
  keepFresh,
  readRecord,
  recordPath,
  removeRecord,
  writeRecord,
} from './handoff-record.ts';
import { replaceFile } from './replace-file.ts';
import type { SlotDriver } from './slot-driver.ts';

export interface HandoffBudgets {
  /** How long the slot that serves may take to end. */
  readonly drainMs: number;
  /** How long the candidate may take to become ready. */
  readonly readinessMs: number;
  /** What a failed handoff needs: to stop the candidate and to start the previous slot again. */
  readonly marginMs: number;
}

interface Deps extends HandoffBudgets {
  /** The path of the coordination file. The record of the handoff is kept beside it. */
  readonly coordination: string;
  readonly driver: SlotDriver;
  /** The gateway's own state; undefined when it cannot be reached. */
  readonly gatewayState: () => Promise<GatewayState | undefined>;
  /** Resolves when a new connection to the slot has got a reply, or none can be made. */
  readonly touch: (slot: Slot) => Promise<unknown>;
  readonly isReady: (slot: Slot) => Promise<boolean>;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Called before anything is changed: from now on requests may be held. */
  readonly onBegin: () => void;
}

/**
 * `switched`: the candidate serves. `returned`: it failed, and the previous slot serves again. `held`: requests are held,
 * because no slot could be started, or because the gateway does not read the file.
 */
export type HandoffResult = 'switched' | 'returned' | 'held';

// A slot that has used all of its drain time still writes what it has ended: it is not killed in the same moment.
const KILL_AFTER_MS = 10_000;
const CONFIRM_MS = 10_000;
const ASK_AGAIN_MS = 100;

/**
 * Replaces the slot that serves by the other one, without losing a request: hold, stop, start, wait for readiness, switch.
 * Continues a handoff that has not ended. Throws `configuration` before anything has changed.
 */
export async function handOff(deps: Deps, wanted: Slot | undefined): Promise<HandoffResult> {
  const path = recordPath(deps.coordination);
  const begun = await readRecord(path);
  const record = begun ?? (await planHandoff(deps, wanted));
  if (record.from === record.to) {
    deps.report(`${record.to} serves already`);
    return 'switched';
  }
  const { report } = deps;
  if (begun) report(`continuing the handoff to ${record.to}`);
  else await checkCandidate(deps, record.to);
  deps.onBegin();
  if (!begun) await writeRecord(path, record);
  const stop = keepFresh(path, deps.clock);
  try {
    const result = await runSteps(deps, record);
    await removeRecord(path);
    return result;
  } finally {
    stop();
  }
}

/** Throws if the candidate would not start, before any request is held for it. */
async function checkCandidate({ driver, report }: Deps, to: Slot): Promise<void> {
  report(`checking the configuration of ${to}`);
  const check = await driver.check(to);
  if (!check) {
    report(`the configuration of ${to} is not checked: its command has no word serve`);
  } else if (!check.isValid) {
    for (const line of check.lines) report(`  ${line}`);
    throw refusal(`the configuration of ${to} is not valid: nothing was changed`);
  }
}

async function runSteps(deps: Deps, record: HandoffRecord): Promise<HandoffResult> {
  const { report, coordination } = deps;
  if (record.direction === 'forward') {
    try {
      return (await goForward(deps, record)) ? 'switched' : 'held';
    } catch (error) {
      report(`failed: ${toBridgeError(error).message}`);
      report(`the log of ${record.to}: ${deps.driver.logOf(record.to)}`);
      // The disk may be full. After a crash, a run would then go forward once more.
      await writeRecord(recordPath(coordination), { ...record, direction: 'back' }).catch(() => {});
    }
  }
  try {
    return (await goBack(deps, record)) ? 'returned' : 'held';
  } catch (error) {
    report(`failed: ${toBridgeError(error).message}`);
    if (record.from) report(`the log of ${record.from}: ${deps.driver.logOf(record.from)}`);
    report('no slot serves: requests are held until a run with --to has started one');
    return 'held';
  }
}

/** Checks what must hold before anything is changed. */
async function planHandoff(deps: Deps, wanted: Slot | undefined): Promise<HandoffRecord> {
  const target = await readCoordination(deps.coordination);
  const active = target === 'hold' ? null : target;
  const to = wanted ?? (active && other(active));
  if (!to) {
    throw refusal('no slot serves: say with --to which one is to be started');
  }
  const state = await deps.gatewayState();
  if (!state) throw refusal('--gateway: the gateway cannot be reached');
  const { drainMs, readinessMs, marginMs } = deps;
  const neededMs = drainMs + KILL_AFTER_MS + readinessMs + marginMs;
  if (state.hold_ms <= neededMs) {
    throw refusal(
      `the gateway holds requests for ${state.hold_ms} ms: not longer than drain, ${KILL_AFTER_MS / 1000} s to end, readiness and margin, ${neededMs} ms`,
    );
  }
  if (!(await isConfirmed(deps, target))) {
    throw refusal(
      `--coordination: the gateway does not follow this file, which means ${target}: it reads another one, or must not read it`,
    );
  }
  // A slot that has ended without a handoff is started as if none had served.
  const hasEnded = active === to && !(await deps.driver.isRunning(to));
  return { from: hasEnded ? null : active, to, direction: 'forward' };
}

/** Whether the gateway sends requests to the candidate now. Throws what made the candidate fail. */
async function goForward(deps: Deps, { from, to }: HandoffRecord): Promise<boolean> {
  const { coordination, driver, report } = deps;
  // A run that ended after the switch has left only its record.
  if (from && (await readCoordination(coordination)) === to) return isConfirmed(deps, to);
  report('holding requests');
  await point(deps, 'hold');
  if (!(await isConfirmed(deps, 'hold'))) throw refusal('the gateway does not hold requests');
  const previous = from ?? other(to);
  // All that the gateway sent before is queued at the slot before this connection: once that has a reply, the slot has
  // taken everything and will finish it.
  await deps.touch(previous);
  report(`stopping ${previous}`);
  await driver.stop(previous, deps.drainMs + KILL_AFTER_MS);
  report(`starting ${to}`);
  await driver.start(to);
  await untilReady(deps, to);
  return release(deps, to);
}

/** Whether the gateway sends requests to the previous slot again. */
async function goBack(deps: Deps, { from, to }: HandoffRecord): Promise<boolean> {
  const { driver, report, marginMs } = deps;
  await point(deps, 'hold');
  report(`stopping ${to}`);
  // The other half is for the start of the previous slot.
  await driver.stop(to, marginMs / 2);
  if (!from) throw refusal('there is no slot to return to');
  report(`starting ${from} again`);
  await driver.restart(from);
  await untilReady(deps, from);
  return release(deps, from);
}

async function release(deps: Deps, slot: Slot): Promise<boolean> {
  await point(deps, slot);
  const isSeen = await isConfirmed(deps, slot);
  deps.report(isSeen ? `${slot} serves` : `${slot} will serve once the gateway reads the file`);
  return isSeen;
}

/** Writes nothing when the file means the target already: on a full disk nothing can be written. */
async function point({ coordination }: Deps, target: Target): Promise<void> {
  if ((await readCoordination(coordination)) === target) return;
  await replaceFile(coordination, `${target}\n`);
}

function isConfirmed(deps: Deps, target: Target): Promise<boolean> {
  const isSeen = async () => (await deps.gatewayState())?.target === target;
  return within(deps, CONFIRM_MS, isSeen);
}

/** Throws when the slot ends, or does not become ready in time. */
async function untilReady(deps: Deps, slot: Slot): Promise<void> {
  const { driver, readinessMs } = deps;
  const isReady = await within(deps, readinessMs, async () => {
    // Another program may listen at the address of the slot.
    if (!(await driver.isRunning(slot))) throw refusal(`${slot} has ended`);
    return deps.isReady(slot);
  });
  if (!isReady) throw refusal(`${slot} is not ready after ${readinessMs} ms`);
}

/** Asks until it is so; `false` when it is not so in time. */
async function within(
  { clock }: Deps,
  limitMs: number,
  isSo: () => Promise<boolean>,
): Promise<boolean> {
  const endMs = clock.monotonicMs() + limitMs;
  const never = new AbortController().signal;
  while (!(await isSo())) {
    if (clock.monotonicMs() >= endMs) return false;
    await sleep(clock, ASK_AGAIN_MS, never);
  }
  return true;
}

function other(slot: Slot): Slot {
  return slot === 'blue' ? 'green' : 'blue';
}

function refusal(message: string): BridgeError {
  return new BridgeError('configuration', message);
}
