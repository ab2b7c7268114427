import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Behaviour } from './behaviours.ts';
import type { Workflow } from './check-workflow.ts';

/** The outcome of a prompt. */
type State = 'pending' | 'running' | 'done' | 'removed' | 'interrupted';

/** A prompt that the server has accepted. */
export interface TakenPrompt {
  readonly id: string;
  readonly workflow: Workflow;
  readonly behaviour: Behaviour;
  readonly state: State;
}

interface Deps {
  /** Creates the files of a finished prompt. Resolves with its outputs by node. */
  readonly draw: (prompt: TakenPrompt) => Promise<object>;
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

interface Entry extends Omit<TakenPrompt, 'state'> {
  state: State;
  stop: () => void;
}

/** Runs the prompts one after the other and stores their outcomes. */
export function createPromptQueue({ draw, onChange, onFailure }: Deps) {
  const entries: Entry[] = [];
  const history = new Map<string, object>();
  /** Ended prompts that are missing from the history until the queue is read again. */
  const late = new Set<string>();
  let isHeld = false;
  let isRunning = false;

  async function runAll(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      for (;;) {
        // The reply to a submission is sent before its prompt runs.
        await nextTurn();
        const next = isHeld ? undefined : entries.find(({ state }) => state === 'pending');
        if (!next) return;
        await run(next);
      }
    } catch (error) {
      onFailure(error);
    } finally {
      isRunning = false;
    }
  }

  async function run(entry: Entry): Promise<void> {
    change(entry, 'running');
    const stopped = new Promise<'stopped'>((resolve) => {
      entry.stop = () => resolve('stopped');
    });
    const { behaviour } = entry;
    const never = new Promise<never>(() => undefined);
    const work = behaviour.run === 'endless' ? never : draw(entry);
    const outputs = await Promise.race([work, stopped]);
    const isStopped = outputs === 'stopped' || behaviour.run === 'interrupted';
    if (behaviour.run !== 'forgotten') history.set(entry.id, record(entry, outputs, isStopped));
    if (behaviour.isLate) late.add(entry.id);
    change(entry, isStopped ? 'interrupted' : 'done');
  }

  function change(entry: Entry, state: State): void {
    entry.state = state;
    onChange();
  }

  return {
    all: (): readonly TakenPrompt[] => entries,

    add(prompt: Omit<TakenPrompt, 'state'>): void {
      entries.push({ ...prompt, state: 'pending', stop: () => undefined });
      onChange();
      void runAll();
    },

    /** Starts no prompt while `held` is true. */
    hold(held: boolean): void {
      isHeld = held;
      if (!held) void runAll();
    },

    /** Returns the queue as `GET /queue` lists it. */
    listed() {
      late.clear();
      const items = (wanted: State) =>
        entries.flatMap(({ id, workflow, state }, index) =>
          state === wanted ? [[index, id, workflow, {}, []]] : [],
        );
      return { queue_running: items('running'), queue_pending: items('pending') };
    },

    /** Returns a prompt as `GET /history/{id}` does. */
    historyOf(id: string): object {
      const entry = late.has(id) ? undefined : history.get(id);
      return entry ? { [id]: entry } : {};
    },

    remove(ids: readonly string[]): void {
      for (const entry of entries) {
        if (entry.state === 'pending' && ids.includes(entry.id)) change(entry, 'removed');
      }
    },

    /** Stops the running prompt with this id, or any running prompt without an id. */
    interrupt(id: string | undefined): void {
      const running = entries.find(({ state }) => state === 'running');
      if (running && (id === undefined || id === running.id)) running.stop();
    },
  };
}

function record(
  { id, workflow, behaviour }: Entry,
  outputs: object | 'stopped',
  isStopped: boolean,
) {
  const hasFailed = behaviour.run === 'failed';
  const isFine = !hasFailed && !isStopped;
  const reason = hasFailed ? 'execution_error' : 'execution_interrupted';
  return {
    prompt: [0, id, workflow, {}, []],
    outputs: isFine && typeof outputs === 'object' ? outputs : {},
    status: {
      status_str: isFine ? 'success' : 'error',
      completed: isFine,
      messages: isFine
        ? []
        : [[reason, { prompt_id: id, ...failedNode(workflow), exception_message: 'a text' }]],
    },
    meta: {},
  };
}

/** The failing node is the sampler. */
function failedNode(workflow: Workflow) {
  const found = Object.entries(workflow).find(([, node]) => node.class_type === 'KSampler');
  return found ? { node_id: found[0], node_type: found[1].class_type, executed: [] } : {};
}
