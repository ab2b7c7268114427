import * as v from 'valibot';
import { sharedRequestEntries } from '../request/image-request.ts';
import { templateRules } from '../request/image-request-rules.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented, PromptText, storableText, UnixSecs } from '../schema/fields.ts';
import { pageOf } from '../schema/page.ts';
import { ShortText } from '../schema/text.ts';
import { LABEL, Label } from './label.ts';

export const PresetName = v.pipe(ShortText, v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/));

const templateEntries = {
  ...sharedRequestEntries,
  prompt: documented(
    v.optional(PromptText),
    'The prompt. If omitted, the prompt is given when the preset is used.',
  ),
};

const CheckedTemplate = v.pipe(
  closedObject(templateEntries),
  v.rawCheck((context) => templateRules(context)),
);

type SentTemplate = v.InferInput<typeof CheckedTemplate>;

/** The objects of a template that a preset contains even if they are empty. */
const SHOWN = ['parameters', 'output', 'routing', 'session', 'policies', 'metadata'] as const;

export type PresetTemplate = Omit<SentTemplate, 'operation' | (typeof SHOWN)[number]> & {
  readonly [K in 'operation' | (typeof SHOWN)[number]]-?: Exclude<SentTemplate[K], undefined>;
};

/**
 * A request without images. The template is checked with its defaults but stored without defaults, so that a later change of a
 * default applies to every preset that does not contain the field.
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
    // `CheckedTemplate` has verified that the value is an object with known fields.
    ...sentFields(templateEntries, Object(sent)),
  };
  return shown as PresetTemplate;
}

const written = {
  title: documented(
    v.optional(Label),
    `The display name; \`name\` if omitted. A title has ${LABEL}`,
  ),
  description: v.optional(storableText(512)),
  template: PresetTemplate,
};

export const PresetCreate = closedObject({ name: PresetName, ...written });
export type PresetCreate = v.InferOutput<typeof PresetCreate>;

/** The new content of a preset, except its name. An omitted title or description is removed. */
export const PresetReplace = closedObject(written);
export type PresetReplace = v.InferOutput<typeof PresetReplace>;

/** The path parameters of a preset. The format of the name is not checked; any unknown name returns 404. */
export const PresetPath = v.strictObject({ name: v.string() });

export const Preset = v.strictObject({
  name: PresetName,
  ...written,
  created: UnixSecs,
  updated: UnixSecs,
});
export type Preset = v.InferOutput<typeof Preset>;

export const PresetPage = pageOf(Preset);

/** Returns the fields that a valid `value` contains, without defaults. `null` is removed unless the field accepts `null`. */
function sentFields(entries: v.ObjectEntries, value: object): Record<string, unknown> {
  const given = new Map<string, unknown>(Object.entries(value));
  const sent: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(entries)) {
    const field = given.get(key);
    if (field === undefined || (field === null && unwrapped(schema).type !== 'nullable')) continue;
    sent[key] = sentValue(unwrapped(schema), field);
  }
  return sent;
}

interface Nested {
  readonly entries?: v.ObjectEntries;
  readonly item?: v.GenericSchema;
}

function sentValue(schema: v.GenericSchema & Nested, value: unknown): unknown {
  if (schema.entries && typeof value === 'object' && value !== null) {
    return sentFields(schema.entries, value);
  }
  const { item } = schema;
  return item && Array.isArray(value) ? value.map((one) => sentValue(item, one)) : value;
}

function unwrapped(schema: v.GenericSchema & { readonly wrapped?: v.GenericSchema }) {
  return schema.type === 'optional' && schema.wrapped ? schema.wrapped : schema;
}
