import * as v from 'valibot';
import { sharedRequestEntries } from '../request/image-request.ts';
import { templateRules } from '../request/image-request-rules.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { PromptText, storableText, UnixSecs } from '../schema/fields.ts';
import { pageOf } from '../schema/page.ts';
import { sentFields } from '../schema/sent-fields.ts';
import { ShortText } from '../schema/text.ts';

export const PresetName = v.pipe(ShortText, v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/));

const templateEntries = {
  ...sharedRequestEntries,
  prompt: documented(v.optional(PromptText), 'May be left out and given when the preset is used.'),
};

const CheckedTemplate = v.pipe(
  closedObject(templateEntries),
  v.rawCheck((context) => templateRules(context)),
);

type SentTemplate = v.InferInput<typeof CheckedTemplate>;

/** The objects of a template, which a preset shows even where they are empty. */
const SHOWN = ['parameters', 'output', 'routing', 'session', 'policies', 'metadata'] as const;

export type PresetTemplate = Omit<SentTemplate, 'operation' | (typeof SHOWN)[number]> & {
  readonly [K in 'operation' | (typeof SHOWN)[number]]-?: Exclude<SentTemplate[K], undefined>;
};

/**
 * A request without its images, checked with its defaults and stored as it was sent (contract.md 5): a preset that never
 * named a field must follow a default that changes later.
 */
export const PresetTemplate: v.GenericSchema<SentTemplate, PresetTemplate> = {
  ...CheckedTemplate,
  '~run'(dataset, config) {
    const sent = dataset.value;
    const result = CheckedTemplate['~run'](dataset, config);
    if (result.issues) return { typed: false, value: result.value, issues: result.issues };
    return { typed: true, value: toShown(sent) };
  },
} as v.GenericSchema<SentTemplate, PresetTemplate>;

function toShown(sent: unknown): PresetTemplate {
  const shown = {
    operation: 'generate',
    ...Object.fromEntries(SHOWN.map((name) => [name, {}])),
    // Checked just before: an object of known fields.
    ...sentFields(templateEntries, Object(sent)),
  };
  return shown as PresetTemplate;
}

const written = {
  description: v.optional(storableText(512)),
  template: PresetTemplate,
};

export const PresetCreate = closedObject({ name: PresetName, ...written });
export type PresetCreate = v.InferOutput<typeof PresetCreate>;

/** Replaces a preset whole: a description that is left out is removed. */
export const PresetReplace = closedObject(written);
export type PresetReplace = v.InferOutput<typeof PresetReplace>;

/** A name that no preset has, whatever its form, is a 404; its form is not checked. */
export const PresetPath = v.strictObject({ name: v.string() });

export const Preset = v.strictObject({
  name: PresetName,
  ...written,
  created: UnixSecs,
  updated: UnixSecs,
});
export type Preset = v.InferOutput<typeof Preset>;

export const PresetPage = pageOf(Preset);
