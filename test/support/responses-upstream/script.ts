import type { Behaviour } from './behaviours/behaviour.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';

/** How one call is answered: a name, or a name with settings of its own. */
export type Step = BehaviourName | StepOptions;

export interface StepOptions extends Partial<Settings> {
  readonly behaviour: BehaviourName;
  /** Before anything is answered. */
  readonly delayMs?: number;
}

interface PlannedStep {
  readonly behaviour: Behaviour;
  readonly settings: Settings;
  readonly delayMs: number;
}

const MARKER = /\[\[fail:([^\]]+)\]\]/;

export type Script = ReturnType<typeof createScript>;

/** Says how each call is answered: by the queue, else by a marker in its prompt, else as usual. */
export function createScript(settings: Settings) {
  const queue: Step[] = [];
  const uses = new Map<string, number>();
  let usual: Step = 'succeed';

  return {
    add(steps: readonly Step[]): void {
      queue.push(...steps);
    },
    setUsual(step: Step): void {
      usual = step;
    },

    /** Throws `Refusal` when a marker names no behaviour. */
    next(prompt: string): PlannedStep {
      const queued = queue.shift();
      if (queued) return planned(queued);
      const name = marked(prompt);
      return name === undefined ? planned(usual) : { ...named(name), settings, delayMs: 0 };
    },
  };

  /** `[[fail:a;b]]` is `a` for the first call whose prompt says so, and `b` for the others. */
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
