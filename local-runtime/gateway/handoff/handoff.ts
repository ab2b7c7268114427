import { BridgeError, toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { type Clock, sleep } from '../../../lib/platform/clock.ts';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { readCoordination, type Slot, type Target } from '../coordination.ts';
import type { GatewayState } from '../own-routes.ts';
import {
  type HandoffRecord,
  keepFresh,
  READABLE_BY_ALL,
  readRecord,
  recordPath,
  removeRecord,
  writeRecord,
} from './handoff-record.ts';
import type { SlotDriver } from './slot-driver.ts';

interface Deps {
  /** The maximum time for the active slot to stop. */
  readonly drainMs: number;
  /** The maximum time for the candidate to become ready. */
  readonly readinessMs: number;
  /** The time reserved for a rollback: for stopping the candidate and starting the previous slot again. */
  readonly marginMs: number;
  /** The path of the coordination file. The record of the handoff is in the same folder. */
  readonly coordination: string;
  readonly driver: SlotDriver;
  /** Resolves with the state of the gateway, or undefined if the gateway cannot be reached. */
  readonly gatewayState: () => Promise<GatewayState | undefined>;
  /** Resolves when a new connection to the slot has received a reply or has failed. */
  readonly touch: (slot: Slot) => Promise<unknown>;
  readonly isReady: (slot: Slot) => Promise<boolean>;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Called before anything is changed. Requests may be held after this call. */
  readonly onBegin: () => void;
}

/**
 * The result of a handoff. `switched`: the candidate is active. `returned`: the candidate failed and the previous slot is
 * active again. `held`: requests are held, because no slot could be started or the gateway does not read the file.
 */
export type HandoffResult = 'switched' | 'returned' | 'held';

// The additional time before a slot is killed. At the end of its drain time, the slot must still store the results of
// aborted work.
const KILL_AFTER_MS = 10_000;
const CONFIRM_MS = 10_000;
const ASK_AGAIN_MS = 100;

/**
 * Replaces the active slot with the other slot without losing requests: hold, stop, start, wait for readiness, switch.
 * Continues an unfinished handoff. Throws `configuration` only before anything has changed.
 */
export async function handOff(deps: Deps, wanted: Slot | undefined): Promise<HandoffResult> {
  const path = recordPath(deps.coordination);
  const begun = await readRecord(path);
  const record = begun ?? (await planHandoff(deps, wanted));
  if (record.from === record.to) {
    deps.report(`${record.to} is already active`);
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

/** Checks the configuration of the candidate before any request is held. Throws `configuration` for an invalid configuration. */
async function checkCandidate({ driver, report }: Deps, to: Slot): Promise<void> {
  report(`checking the configuration of ${to}`);
  const check = await driver.check(to);
  if (!check) {
    report(`the configuration of ${to} is not checked: its command does not contain serve`);
  } else if (!check.isValid) {
    for (const line of check.lines) report(`  ${line}`);
    throw refusal(`the configuration of ${to} is invalid; nothing was changed`);
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
      // A failure is ignored, because the disk may be full. Without this record, a run after a crash only tries the candidate
      // again.
      await writeRecord(recordPath(coordination), { ...record, direction: 'back' }).catch(() => {});
    }
  }
  try {
    return (await goBack(deps, record)) ? 'returned' : 'held';
  } catch (error) {
    report(`failed: ${toBridgeError(error).message}`);
    if (record.from) report(`the log of ${record.from}: ${deps.driver.logOf(record.from)}`);
    report('no slot is active: requests are held; run handoff --to SLOT to start a slot');
    return 'held';
  }
}

/** Checks the preconditions of a handoff and returns its record. Throws `configuration` if a precondition fails. */
async function planHandoff(deps: Deps, wanted: Slot | undefined): Promise<HandoffRecord> {
  const target = await readCoordination(deps.coordination);
  const active = target === 'hold' ? null : target;
  const to = wanted ?? (active && other(active));
  if (!to) {
    throw refusal('no slot is active: name the slot to start with --to');
  }
  const state = await deps.gatewayState();
  if (!state) throw refusal('--gateway: the gateway cannot be reached');
  const { drainMs, readinessMs, marginMs } = deps;
  const neededMs = drainMs + KILL_AFTER_MS + readinessMs + marginMs;
  if (state.hold_ms <= neededMs) {
    throw refusal(
      `the gateway holds requests for at most ${state.hold_ms} ms, but this handoff may need ${neededMs} ms: --drain-ms, ${KILL_AFTER_MS / 1000} s to exit, --readiness-ms and --margin-ms`,
    );
  }
  if (!(await isConfirmed(deps, target))) {
    throw refusal(
      `--coordination: the gateway does not follow this file (${target}); the gateway reads another file, or cannot read this file`,
    );
  }
  // If the active slot has ended without a handoff, the handoff starts the slot as if no slot were active.
  const hasEnded = active === to && !(await deps.driver.isRunning(to));
  return { from: hasEnded ? null : active, to, direction: 'forward' };
}

/** Switches to the candidate. Resolves with true if the gateway has confirmed the switch. Throws if the candidate fails. */
async function goForward(deps: Deps, { from, to }: HandoffRecord): Promise<boolean> {
  const { coordination, driver, report } = deps;
  // True if an earlier run was interrupted after the switch and only its record remains.
  if (from && (await readCoordination(coordination)) === to) return isConfirmed(deps, to);
  report('holding requests');
  await point(deps, 'hold');
  if (!(await isConfirmed(deps, 'hold'))) throw refusal('the gateway does not hold requests');
  const previous = from ?? other(to);
  // Earlier connections from the gateway are before this connection in the queue of the slot. When this connection receives a
  // reply, the slot has accepted all earlier requests and will complete these requests.
  await deps.touch(previous);
  report(`stopping ${previous}`);
  await driver.stop(previous, deps.drainMs + KILL_AFTER_MS);
  report(`starting ${to}`);
  await driver.start(to);
  await untilReady(deps, to);
  return release(deps, to);
}

/** Returns to the previous slot. Resolves with true if the gateway has confirmed the switch. */
async function goBack(deps: Deps, { from, to }: HandoffRecord): Promise<boolean> {
  const { driver, report, marginMs } = deps;
  await point(deps, 'hold');
  report(`stopping ${to}`);
  // The other half of the margin is for starting the previous slot.
  await driver.stop(to, marginMs / 2);
  if (!from) throw refusal('no previous slot to return to');
  report(`starting ${from} again`);
  await driver.restart(from);
  await untilReady(deps, from);
  return release(deps, from);
}

async function release(deps: Deps, slot: Slot): Promise<boolean> {
  await point(deps, slot);
  const isSeen = await isConfirmed(deps, slot);
  deps.report(
    isSeen ? `${slot} is active` : `${slot} will be active when the gateway reads the file`,
  );
  return isSeen;
}

/** Writes the target to the file. Writes nothing if the file already contains the target, because the disk may be full. */
async function point({ coordination }: Deps, target: Target): Promise<void> {
  if ((await readCoordination(coordination)) === target) return;
  await saveFile(coordination, `${target}\n`, { replaces: true, mode: READABLE_BY_ALL });
}

function isConfirmed(deps: Deps, target: Target): Promise<boolean> {
  const isSeen = async () => (await deps.gatewayState())?.target === target;
  return within(deps, CONFIRM_MS, isSeen);
}

/** Waits until the slot is ready. Throws `configuration` if the slot ends or does not become ready in time. */
async function untilReady(deps: Deps, slot: Slot): Promise<void> {
  const { driver, readinessMs } = deps;
  const isReady = await within(deps, readinessMs, async () => {
    // The process is checked too, because another program may listen at the address of the slot.
    if (!(await driver.isRunning(slot))) throw refusal(`${slot} has ended`);
    return deps.isReady(slot);
  });
  if (!isReady) throw refusal(`${slot} is not ready after ${readinessMs} ms`);
}

/** Repeats a check until the check succeeds. Resolves with false if the time limit is reached first. */
async function within(
  { clock }: Deps,
  limitMs: number,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const endMs = clock.monotonicMs() + limitMs;
  const never = new AbortController().signal;
  while (!(await check())) {
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
