import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { closedObject, eitherOf } from '../../contract/schema/closed-object.ts';
import { type EntryRule, type Field, text } from '../values/field.ts';
import { textList } from '../values/field-collections.ts';
import { schemaMap } from '../values/schema-map.ts';
import { NAME } from '../values/text-rules.ts';

/** Capabilities that an operator may state for a model unknown to the bridge. */
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

/**
 * Returns the settings for the models of a named provider. A model outside `families` has the profile of the default family.
 */
export function models<const F extends string>(families: readonly F[], defaults: readonly F[]) {
  const [first = ''] = defaults;
  return {
    models: textList({
      default: defaults,
      min: 1,
      rule: NAME,
      about: 'Models that requests may name.',
    }),
    image_model: text({
      default: first,
      rule: NAME,
      about: 'Default model; one of `models`.',
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
    message: 'must have only keys that are listed in models',
    isBroken: ({ models: listed, model_profiles }) => !areListed(model_profiles, listed),
  },
];

/** Returns true if every key is a listed model. */
export function areListed(byModel: object, listed: readonly string[]): boolean {
  return Object.keys(byModel).every((model) => listed.includes(model));
}

function modelProfiles<const F extends string>(
  families: readonly F[],
): Field<{ readonly [model: string]: F | ModelProfile }> {
  return schemaMap({
    about:
      'Capabilities of models that the bridge does not know: the name of a family with the same profile, or members of a capability document that replace those of the default family.',
    expects: `a table of models, each ${families.map((name) => `"${name}"`).join(', ')}, or a table with members of a capability document`,
    schema: eitherOf(v.picklist(families), Profile, () => true),
  });
}
