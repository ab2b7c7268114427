import type { Behaviour } from './behaviours/behaviour.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';

/** The behaviour of one call: a name, or a name with settings. */
export type Step = BehaviourName | StepOptions;

export interface StepOptions extends Partial<Settings> {
  readonly behaviour: BehaviourName;
  /** Before the reply begins. */
  readonly delayMs?: number;
}

interface PlannedStep {
  readonly behaviour: Behaviour;
  readonly settings: Settings;
  readonly delayMs: number;
}

const MARKER = /\[\[fail:([^\]]+)\]\]/;

export type Script = ReturnType<typeof createScript>;

/** Selects the behaviour of each call: from the queue, else by a marker in its prompt, else the default. */
export function createScript(settings: Settings) {
  const queue: Step[] = [];
  const uses = new Map<string, number>();
  let defaultStep: Step = 'succeed';

  return {
    add(steps: readonly Step[]): void {
      queue.push(...steps);
    },
    setDefault(step: Step): void {
      defaultStep = step;
    },

    /** Throws `Refusal` when a marker names no behaviour. */
    next(prompt: string): PlannedStep {
      const queued = queue.shift();
      if (queued) return planned(queued);
      const name = marked(prompt);
      return name === undefined ? planned(defaultStep) : { ...named(name), settings, delayMs: 0 };
    },
  };

  /** `[[fail:a;b]]` is `a` for the first call with this prompt marker, and `b` for the others. */
  function marked(prompt: string): string | undefined {
    const names = MARKER.exec(prompt)?.[1];
    if (names === undefined) return undefined;
    const use = uses.get(names) ?? 0;
    uses.set(names, use + 1);
    const list = names.split(';').map((name) => name.trim());
    return list[Math.min(use, list.length - 1)];
  }

  function planned(step: Step): PlannedStep {
    const options: StepOptions = typeof step === 'string' ? { behaviour: step } : step;
    const { behaviour, delayMs = 0, ...changes } = options;
    return { ...named(behaviour), settings: { ...settings, ...changes }, delayMs };
  }
}

function named(name: string): { readonly behaviour: Behaviour } {
  const behaviour = BEHAVIOURS.get(name);
  if (behaviour) return { behaviour };
  throw new Refusal({
    status: 400,
    code: 'unknown_behaviour',
    message: 'no behaviour has this name; --list prints them',
    param: 'input[0].content[0].text',
  });
}
