import * as v from 'valibot';
import { runKnown } from './closed-object.ts';
import { ownIssue } from './issues.ts';
import { isLongerThan } from './text.ts';

export const FORM_LIMITS = { maxParts: 256, maxPartHeadBytes: 16_384, maxNameBytes: 128 } as const;

// Names are limited because the reply lists the unknown names.
const { maxNameBytes: MAX_NAME_BYTES } = FORM_LIMITS;
const TOO_LONG = `must have a name of at most ${MAX_NAME_BYTES} bytes`;

interface OpenFields<E extends v.ObjectEntries> {
  readonly fields: v.InferOutput<v.ObjectSchema<E, undefined>>;
  /** The names of the unknown fields. */
  readonly unknown: readonly string[];
}

/**
 * Creates the schema of an object that accepts unknown fields and returns their names. Only the OpenAI-compatible routes use
 * open objects, because a newer client may send fields that the bridge does not know. `null` for an optional field means the
 * same as omitting the field.
 */
export function openObject<const E extends v.ObjectEntries>(entries: E) {
  const known = v.object(entries);
  const keywords = v.looseObject(entries);
  // The API documents use `entries` and the type. The replaced `~run` separates the fields from the unknown names.
  return Object.assign(
    keywords as unknown as v.GenericSchema<
      v.InferInput<v.ObjectSchema<E, undefined>>,
      OpenFields<E>
    >,
    {
      entries,
      takesNull: true,
      '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
        const { result, unknown } = runKnown(known, dataset.value, config);
        const [long, ...others] = unknown
          .filter((name) => isLongerThan(name, MAX_NAME_BYTES))
          .map((name) => ownIssue('invalid_length', TOO_LONG, name));
        const issues = [...others, ...(result.issues ?? [])];
        if (long) return { typed: false as const, value: undefined, issues: [long, ...issues] };
        return result.typed ? { ...result, value: { fields: result.value, unknown } } : result;
      },
    },
  );
}
