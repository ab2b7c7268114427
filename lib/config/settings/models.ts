import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { closedObject, eitherOf } from '../../contract/schema/closed-object.ts';
import { type EntryRule, type Field, text } from '../values/field.ts';
import { textList } from '../values/field-collections.ts';
import { schemaMap } from '../values/schema-map.ts';
import { NAME } from '../values/text-rules.ts';

/** What an operator may say of a model that the bridge does not know. */
const Profile = closedObject(
  v.partial(
    v.pick(CapabilityDocument, [
      'edits',
      'sizes',
      'aspect_ratio',
      'aspect_ratios',
      'resolution',
      'resolutions',
      'negative_prompt',
      'revised_prompt',
      'transparent_background',
      'qualities',
      'output_formats',
      'backgrounds',
      'moderation',
      'input_fidelities',
      'reference_images',
      'edit_images',
      'masks',
      'partial_images',
    ]),
  ).entries,
);
type ModelProfile = v.InferOutput<typeof Profile>;

/** The models of a named provider. A model of none of the `families` has the profile of the default one's. */
export function models<const F extends string>(families: readonly F[], defaults: readonly F[]) {
  const [first = ''] = defaults;
  return {
    models: textList({
      default: defaults,
      min: 1,
      rule: NAME,
      about: 'The models that requests may name.',
    }),
    image_model: text({
      default: first,
      rule: NAME,
      about: 'The model of requests that name none; one of models.',
    }),
    model_profiles: modelProfiles(families),
  };
}

interface Models {
  readonly models: readonly string[];
  readonly image_model: string;
  readonly model_profiles: { readonly [model: string]: unknown };
}

export const MODEL_RULES: readonly EntryRule<Models>[] = [
  {
    field: 'image_model',
    with: ['models'],
    severity: 'error',
    message: 'must be one of models',
    isBroken: ({ models: listed, image_model }) => !listed.includes(image_model),
  },
  {
    field: 'model_profiles',
    with: ['models'],
    severity: 'error',
    message: 'must have keys that are among models',
    isBroken: ({ models: listed, model_profiles }) => !areListed(model_profiles, listed),
  },
];

/** Whether each key is one of the models. */
export function areListed(byModel: object, listed: readonly string[]): boolean {
  return Object.keys(byModel).every((model) => listed.includes(model));
}

function modelProfiles<const F extends string>(
  families: readonly F[],
): Field<{ readonly [model: string]: F | ModelProfile }> {
  return schemaMap({
    about:
      'What a model can do where the bridge does not know it: the family whose profile it has, or members of a capability document, which replace those of the default family.',
    expects: `a table of models, each ${families.map((name) => `"${name}"`).join(', ')}, or a table of members of a capability document`,
    schema: eitherOf(v.picklist(families), Profile, () => true),
  });
}
