import * as v from 'valibot';
import { parameterEntries } from '../request/parameters.ts';
import { documented, type SchemaKeywords } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { openObject } from '../schema/open-object.ts';
import { QueryBoolean } from '../schema/page.ts';
import { Payload, ShortText } from '../schema/text.ts';
import { BridgeExt, editTextEntries, IGNORED_FIELDS, textEntries } from './images.ts';

/** The files of `POST /v1/images/edits` by name. Files of one `role` form a list in the order of the parts. */
export const EDIT_FILES = {
  image: { role: 'image', isRepeatable: true },
  'image[]': { role: 'image', isRepeatable: true },
  mask: { role: 'mask', isRepeatable: false },
  reference_image: { role: 'reference_image', isRepeatable: true },
  'reference_image[]': { role: 'reference_image', isRepeatable: true },
} as const;
export type EditFileRole = (typeof EDIT_FILES)[keyof typeof EDIT_FILES]['role'];

/** Creates the schema of a number in a form, where every value is text. `rules` is the schema of the number in JSON. */
function numberText<const S extends v.GenericSchema<number>>(rules: S, keywords: SchemaKeywords) {
  return v.pipe(
    ShortText,
    v.check((value) => /^-?\d{1,15}$/.test(value), coded('invalid_type', 'must be a whole number')),
    v.metadata({ type: 'integer', ...keywords }),
    v.transform(Number),
    rules,
  );
}

const compression = v.pipe(v.number(), v.minValue(0), v.maxValue(100));

const formEntries = {
  ...textEntries,
  ...editTextEntries,
  n: v.optional(numberText(parameterEntries.n.wrapped, { minimum: 1 })),
  output_compression: v.optional(numberText(compression, { minimum: 0, maximum: 100 })),
  partial_images: v.optional(
    numberText(parameterEntries.partial_images.wrapped, { minimum: 0, maximum: 3 }),
  ),
  stream: documented(v.optional(QueryBoolean), 'If true, the reply is a stream of events.'),
  bridge_ext: documented(
    v.optional(
      v.pipe(Payload, v.parseJson(undefined, coded('invalid_json', 'must be JSON')), BridgeExt),
    ),
    'A text part with the JSON of a BridgeExt.',
    { contentMediaType: 'application/json' },
  ),
  ...(Object.fromEntries(IGNORED_FIELDS.map((name) => [name, v.optional(Payload)])) as Record<
    (typeof IGNORED_FIELDS)[number],
    v.OptionalSchema<v.StringSchema<undefined>, undefined>
  >),
};

/** The text parts of the multipart form of `POST /v1/images/edits`. Empty parts except `prompt` are removed before parsing. */
export const EditsFormFields = openObject(formEntries);
export type EditsFormFields = v.InferOutput<typeof EditsFormFields>;

const File = v.pipe(Payload, v.metadata({ format: 'binary' }));
const files = (description: string) => documented(v.optional(v.array(File)), description);

/**
 * The schema of the whole form, used only to generate the API documents. A received form is read part by part, and files
 * are never read as text.
 */
export const EditsForm = v.looseObject({
  image: files('The images to edit, in order. At least one image is required.'),
  'image[]': files('Alias of `image` that some clients send.'),
  mask: documented(
    v.optional(File),
    'An image with an alpha channel and the dimensions of the first image.',
  ),
  reference_image: files('Images that guide the result.'),
  'reference_image[]': files('Alias of `reference_image` that some clients send.'),
  ...formEntries,
});
