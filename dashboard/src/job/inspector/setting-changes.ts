import type { Job } from '../../api/schemas.ts';
import type { Draft } from '../../make/draft.ts';
import { recallSettings } from '../../make/recall-settings.ts';
import { type TextKey, text } from '../../text/text.ts';
import { toValue } from './facts.ts';

/** A setting that differs between two jobs. Undefined for a value that is not set. */
export interface SettingChange {
  readonly name: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
  /** Sets the value of A in the draft. */
  use(draft: Draft): void;
}

interface Setting {
  readonly name: TextKey;
  readonly read: (job: Job) => string | null | undefined;
  readonly use: (draft: Draft, settings: ReturnType<typeof recallSettings>) => void;
}

const ofParameters = (
  name: TextKey,
  fields: readonly (keyof Job['request']['parameters'])[],
): Setting => ({
  name,
  read({ request: { parameters } }) {
    const given = fields.map((field) => parameters[field]).filter((each) => each !== null);
    const value = given.find((each) => each !== 'auto') ?? given[0];
    return value === undefined ? undefined : toValue(String(value));
  },
  use: (draft, { parameters }) =>
    draft.set('parameters', Object.fromEntries(fields.map((each) => [each, parameters?.[each]]))),
});

const SETTINGS: readonly Setting[] = [
  {
    name: 'job.fact.model',
    read: ({ request: { routing }, result }) => result?.model ?? routing.model ?? routing.provider,
    use: (draft, { routing }) =>
      draft.set('routing', { provider: routing?.provider, model: routing?.model }),
  },
  ofParameters('job.fact.size', ['size', 'aspect_ratio', 'resolution']),
  ofParameters('job.fact.count', ['n']),
  ofParameters('plan.field.quality', ['quality']),
  ofParameters('plan.field.background', ['background']),
  ofParameters('plan.field.input_fidelity', ['input_fidelity']),
  ofParameters('job.fact.format', ['output_format']),
  {
    name: 'make.avoid',
    read: ({ request }) => request.negative_prompt || undefined,
    use: (draft, { negative_prompt: avoid }) => draft.change({ negative_prompt: avoid ?? '' }),
  },
];

/** Returns the settings that differ between two jobs. The prompts are compared by `comparePrompts`. */
export function compareSettings(a: Job, b: Job): readonly SettingChange[] {
  return SETTINGS.flatMap(({ name, read, use }) => {
    const [before, after] = [a, b].map((job) => read(job) ?? undefined);
    if (before === after) return [];
    return [
      {
        name: text(name),
        a: before,
        b: after,
        use: (draft: Draft) => use(draft, recallSettings(a.request)),
      },
    ];
  });
}

/** Replaces the settings of the draft by those of a job. The prompt and the images of the draft stay. */
export function takeSettings({ request }: Job, draft: Draft): void {
  const { prompt: _, ...settings } = recallSettings(request);
  const { prompt } = draft.settings.peek();
  draft.apply({ ...settings, ...(prompt !== undefined && { prompt }) });
}
