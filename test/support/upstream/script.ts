import { Refusal } from './refusal.ts';

/** The behaviour of one call: a name, or a name with settings. */
export type Step<Name extends string, Settings> = Name | StepOptions<Name, Settings>;

export type StepOptions<Name extends string, Settings> = Partial<Settings> & {
  readonly behaviour: Name;
  /** Delay before the reply begins. */
  readonly delayMs?: number;
};

interface Deps<Behaviour, Settings> {
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  readonly settings: Settings;
  /** Field of a request that contains its prompt. */
  readonly promptField: string;
}

interface PlannedStep<Behaviour, Settings> {
  readonly behaviour: Behaviour;
  readonly settings: Settings;
  readonly delayMs: number;
}

const MARKER = /\[\[fail:([^\]]+)\]\]/;

/** Selects the behaviour of each call: from the queue, otherwise by a marker in its prompt, otherwise the default `succeed`. */
export function createScript<Name extends string, Behaviour, Settings>({
  behaviours,
  settings,
  promptField,
}: Deps<Behaviour, Settings>) {
  type Planned = PlannedStep<Behaviour, Settings>;
  const queue: Step<Name, Settings>[] = [];
  const uses = new Map<string, number>();
  let defaultStep: Step<Name, Settings> | undefined;

  return {
    add(steps: readonly Step<Name, Settings>[]): void {
      queue.push(...steps);
    },
    setDefault(step: Step<Name, Settings>): void {
      defaultStep = step;
    },

    /** Selects the behaviour. Throws `Refusal` if a marker names an unknown behaviour. */
    next(prompt: string): Planned {
      const queued = queue.shift();
      if (queued) return planned(queued);
      const name = marked(prompt);
      return name === undefined ? planned(defaultStep) : plain(name);
    },
  };

  /** Returns the behaviour of a marker. `[[fail:a;b]]` is `a` for the first call with this marker, and `b` for all others. */
  function marked(prompt: string): string | undefined {
    const names = MARKER.exec(prompt)?.[1];
    if (names === undefined) return undefined;
    const use = uses.get(names) ?? 0;
    uses.set(names, use + 1);
    const list = names.split(';').map((name) => name.trim());
    return list[Math.min(use, list.length - 1)];
  }

  function planned(step: Step<Name, Settings> | undefined): Planned {
    if (step === undefined || typeof step === 'string') return plain(step ?? 'succeed');
    const { behaviour, delayMs = 0, ...changes } = step;
    return { ...plain(behaviour), settings: { ...settings, ...changes }, delayMs };
  }

  function plain(name = 'succeed'): Planned {
    const behaviour = behaviours.get(name);
    if (behaviour) return { behaviour, settings, delayMs: 0 };
    throw new Refusal({
      status: 400,
      code: 'unknown_behaviour',
      message: 'no behaviour has this name; --list prints them',
      param: promptField,
    });
  }
}
