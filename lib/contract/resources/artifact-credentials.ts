import * as v from 'valibot';
import { FOUND, Provenance } from '../reply/provenance.ts';
import { documented } from '../schema/fields.ts';

/** The readable content of a C2PA manifest. */
export interface ManifestReport {
  /** Organisation in the certificate of the signer. Undefined if the certificate names no organisation. */
  readonly signer?: string | undefined;
  /** Name and version of the program that wrote the manifest. */
  readonly generator?: string | undefined;
  readonly actions: readonly ActionReport[];
  readonly ingredients: readonly IngredientReport[];
}

export type ActionReport = Readonly<v.InferOutput<typeof ActionReport>>;

export interface IngredientReport {
  readonly relationship: string;
  readonly title?: string | undefined;
  readonly format?: string | undefined;
  /** The manifest of the ingredient. Undefined if the ingredient has no credentials, or is too deep for the report. */
  readonly manifest?: ManifestReport | undefined;
}

const ActionReport = v.strictObject({
  action: v.string(),
  source_type: v.optional(v.string()),
  software: v.optional(v.string()),
});

export const ManifestReport: v.GenericSchema<ManifestReport> = v.strictObject({
  signer: documented(v.optional(v.string()), 'The organisation in the certificate of the signer.'),
  generator: documented(
    v.optional(v.string()),
    'The name and the version of the program that wrote the manifest.',
  ),
  actions: v.array(ActionReport),
  ingredients: documented(
    v.array(
      v.strictObject({
        relationship: v.string(),
        title: v.optional(v.string()),
        format: v.optional(v.string()),
        manifest: v.optional(v.lazy(() => ManifestReport)),
      }),
    ),
    'The images from which the image was made, to a depth of 8.',
  ),
});

/** The reply of `GET /v1/artifacts/{id}/credentials`. */
export const ArtifactCredentials = v.strictObject({
  provenance: documented(
    v.optional(Provenance),
    'The facts of the publication. Absent for images that were published before these facts were recorded.',
  ),
  state: documented(
    v.picklist(FOUND),
    'The result of a check of the file at the time of the request. `present`: the file has credentials that could not be checked. `too_large`: the credentials are larger than `provenance.max_manifest_bytes`.',
  ),
  manifest: documented(
    v.optional(ManifestReport),
    'The active manifest, if the credentials can be read.',
  ),
});
export type ArtifactCredentials = v.InferOutput<typeof ArtifactCredentials>;
