import type { StoreStep, Verdict } from '../support/simulation/faulty-stores.ts';
import type { Bridge } from './bridge.ts';
import { hashOf } from './services.ts';
import type { Machine, VirtualClock } from './virtual-clock.ts';

/** A bridge on a machine of its own, which its supervisor starts again. */
interface Replica {
  readonly bridge: Bridge;
  readonly machine: Machine;
  /** The number of faults that keep the bridge from its state or its notices. */
  cuts: number;
  deafenings: number;
  /** True until the supervisor starts the bridge again. */
  isDown: boolean;
}

interface Deps {
  readonly seed: number;
  readonly clock: VirtualClock;
  /** Creates the bridge of one replica. */
  readonly createReplica: (
    nth: number,
    isDeaf: () => boolean,
  ) => Pick<Replica, 'bridge' | 'machine'>;
  readonly replicas: number;
}

/** Creates the bridges, and the balancer that spreads the requests of the clients over the bridges that serve. */
export function createFleet({ seed, clock, createReplica, replicas: count }: Deps) {
  const replicas = Array.from({ length: count }, (_, nth): Replica => {
    const isDeaf = () => (replicas[nth]?.deafenings ?? 0) > 0;
    return { ...createReplica(nth, isDeaf), cuts: 0, deafenings: 0, isDown: false };
  });
  let requests = 0;

  function replicaAt(nth = 0): Replica {
    const replica = replicas[nth];
    if (!replica) throw new Error(`there is no replica ${nth}`);
    return replica;
  }

  async function restartAfter(replica: Replica, downMs: number): Promise<void> {
    replica.isDown = true;
    await clock.sleep(downMs);
    replica.isDown = false;
  }

  async function stop(replica: Replica, graceMs: number, downMs: number): Promise<void> {
    await replica.bridge.stop(graceMs);
    await restartAfter(replica, downMs);
  }

  return {
    isServing: () => replicas.every(({ bridge }) => bridge.isServing()),

    /** Starts the bridges that are neither running nor down. */
    start(): void {
      for (const { bridge, machine, isDown } of replicas) {
        if (!isDown && !machine.isFrozen()) bridge.start();
      }
    },

    async kill(nth: number | undefined, downMs: number): Promise<void> {
      const replica = replicaAt(nth);
      replica.bridge.kill();
      await restartAfter(replica, downMs);
    },

    /** Kills all bridges, which are started again at once. */
    killAll(): void {
      for (const { bridge } of replicas) bridge.kill();
    },

    stop: (nth: number | undefined, graceMs: number, downMs: number): Promise<void> =>
      stop(replicaAt(nth), graceMs, downMs),

    /** Stops and starts one bridge after the other, as a rolling upgrade does. */
    async upgrade(graceMs: number, downMs: number): Promise<void> {
      for (const replica of replicas) await stop(replica, graceMs, downMs);
    },

    freeze(nth: number | undefined, forMs: number): void {
      replicaAt(nth).machine.freeze(forMs);
    },

    async cut(nth: number | undefined, forMs: number): Promise<void> {
      const replica = replicaAt(nth);
      replica.cuts += 1;
      replica.bridge.setCut(true);
      await clock.sleep(forMs);
      replica.cuts = Math.max(0, replica.cuts - 1);
      replica.bridge.setCut(replica.cuts > 0);
    },

    async deafen(nth: number | undefined, forMs: number): Promise<void> {
      const replica = replicaAt(nth);
      replica.deafenings += 1;
      await clock.sleep(forMs);
      replica.deafenings = Math.max(0, replica.deafenings - 1);
    },

    setWallClock(nth: number | undefined, byMs: number): void {
      replicaAt(nth).machine.setWallClock(byMs);
    },

    failNext(nth: number | undefined, of: StoreStep['disk'], verdicts: readonly Verdict[]): void {
      replicaAt(nth).bridge.failNext(of, verdicts);
    },

    removeToken(name: string): void {
      for (const { bridge } of replicas) bridge.removeToken(name);
    },

    /** Ends all faults. */
    heal(): void {
      for (const replica of replicas) {
        Object.assign(replica, { cuts: 0, deafenings: 0 });
        replica.bridge.heal();
        replica.machine.thaw();
      }
    },

    /** Returns the latest wall time of all machines. */
    latestMs: () => Math.max(...replicas.map(({ machine }) => machine.nowMs())),

    /** Sends a request to one of the bridges that serve. */
    call(...given: Parameters<Bridge['call']>): ReturnType<Bridge['call']> {
      requests += 1;
      const serving = replicas.filter(({ bridge }) => bridge.isServing());
      const chosen = serving[hashOf(seed, 'balance', requests) % Math.max(1, serving.length)];
      return (chosen ?? replicaAt()).bridge.call(...given);
    },

    /** Runs a task of each bridge now. */
    async runTask(name: string): Promise<void> {
      for (const { bridge } of replicas) await bridge.runTask(name);
    },

    async close(): Promise<void> {
      for (const { bridge } of replicas) await bridge.close();
    },
  };
}
