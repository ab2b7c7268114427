import type { OutputFormat } from '../contract/request/parameters.ts';
import type { TaskIngredient } from './credential-tasks.ts';

/** An image from which another image was made. */
export interface Original {
  readonly bytes: Uint8Array;
  readonly format: OutputFormat;
  /** True if the image has credentials, which then become part of the new manifest. */
  readonly hasCredentials: boolean;
}

/** A change that the bridge made to an image. */
export type Change = 'converted' | 'edited' | 'edited.metadata';

/** A statement about how an image was made, which the signature confirms. */
export type Claim = {
  readonly model: string;
  /** URL of the IPTC term for the source of the generated pixels. */
  readonly sourceType: string;
} & (
  | {
      /** The bridge changed an image that has credentials. */
      readonly kind: 'changed';
      readonly original: Original;
      readonly changes: readonly Change[];
    }
  | {
      /** The bridge put a generated image into the image of the user. */
      readonly kind: 'put_back';
      readonly source: Original;
      readonly drawn: Original;
    }
  | {
      /** A model generated the image, from no other image or from `inputs`. */
      readonly kind: 'created';
      readonly inputs: readonly Original[];
      readonly changes: readonly Change[];
    }
);

/** The program that signs. */
export interface Software {
  readonly name: string;
  readonly version: string;
}

interface Action {
  readonly action: string;
  readonly softwareAgent: { readonly name: string; readonly version?: string };
  readonly digitalSourceType?: string;
  readonly parameters?: { readonly ingredientIds: readonly string[] };
}

interface NamedOriginal {
  readonly label: string;
  readonly relationship: 'parentOf' | 'componentOf' | 'inputTo';
  readonly original: Original;
}

/**
 * Returns the definition of a manifest and its ingredients, as JSON of the library. The name of the model is the only part of the
 * request in the definition. `newId` returns a random UUID; without it, an ingredient would get the id in the XMP of its image.
 */
export function toManifestDefinition(
  claim: Claim,
  software: Software,
  newId: () => string,
): { readonly definition: string; readonly ingredients: readonly TaskIngredient[] } {
  const { actions, originals } = statementsOf(claim, software);
  const definition = {
    claim_generator_info: [software],
    assertions: [{ label: 'c2pa.actions.v2', data: { actions, allActionsIncluded: true } }],
  };
  return {
    definition: JSON.stringify(definition),
    ingredients: originals.map(({ label, relationship, original }) => {
      const { bytes, format, hasCredentials } = original;
      const instance_id = `xmp:iid:${newId()}`;
      return {
        json: JSON.stringify({ label, relationship, format: `image/${format}`, instance_id }),
        // The library would copy a link in the XMP of an image without credentials into the manifest.
        image: hasCredentials ? { bytes, format } : undefined,
      };
    }),
  };
}

function statementsOf(
  claim: Claim,
  software: Software,
): { readonly actions: readonly Action[]; readonly originals: readonly NamedOriginal[] } {
  const generated = {
    softwareAgent: { name: claim.model },
    digitalSourceType: claim.sourceType,
  };
  const opened: Action = {
    action: 'c2pa.opened',
    softwareAgent: software,
    parameters: { ingredientIds: ['parent'] },
  };
  switch (claim.kind) {
    case 'changed':
      return {
        actions: [opened, ...changesOf(claim.changes, software)],
        originals: [{ label: 'parent', relationship: 'parentOf', original: claim.original }],
      };
    case 'put_back':
      return {
        actions: [
          opened,
          { action: 'c2pa.placed', ...generated, parameters: { ingredientIds: ['drawn'] } },
        ],
        originals: [
          { label: 'parent', relationship: 'parentOf', original: claim.source },
          { label: 'drawn', relationship: 'componentOf', original: claim.drawn },
        ],
      };
    case 'created': {
      const originals = claim.inputs.map((original, index) => ({
        label: `input${index}`,
        relationship: 'inputTo' as const,
        original,
      }));
      const ingredientIds = originals.map(({ label }) => label);
      const inputs = ingredientIds.length > 0 ? { parameters: { ingredientIds } } : {};
      return {
        actions: [
          { action: 'c2pa.created', ...generated, ...inputs },
          ...changesOf(claim.changes, software),
        ],
        originals,
      };
    }
  }
}

function changesOf(changes: readonly Change[], softwareAgent: Software): readonly Action[] {
  return changes.map((change) => ({ action: `c2pa.${change}`, softwareAgent }));
}
