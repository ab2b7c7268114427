import { imageModelsListResponseFromJSON } from '@openrouter/sdk/models/imagemodelslistresponse.js';
import { describe, expect, it } from 'vitest';
import {
  makesImages,
  openrouterCapabilities,
  parseOpenrouterModels,
} from '../../../../lib/providers/openai-images/dialects/openrouter-models.ts';
import { openrouterCatalogue } from '../../../support/openrouter-catalogue/models.ts';

const LIMITS = {
  provider: 'router',
  native_count: 10,
  max_outputs: 10,
  max_parallel_outputs: 'auto',
} as const;

const LISTED = openrouterCatalogue();
const MODELS = parseOpenrouterModels(LISTED) ?? [];
const DRAWING = MODELS.filter(makesImages).map((model) => ({
  model,
  document: openrouterCapabilities(model, { ...LIMITS, model: model.id }),
}));

/** The values of a model that its document offers, by the parameter of the service. */
function offeredBy({ document }: (typeof DRAWING)[number]): Readonly<Record<string, unknown[]>> {
  return {
    aspect_ratio: document.aspect_ratios ?? [],
    resolution: document.resolutions ?? [],
    quality: document.qualities ?? [],
    output_format: document.output_formats ?? [],
    background: document.backgrounds ?? [],
  };
}

function valuesOf(parameter: unknown): readonly string[] {
  const { values = [] } = parameter as { readonly values?: readonly string[] };
  return values.map((value) => value.toLowerCase());
}

describe('the recorded catalogue of OpenRouter', () => {
  it("has the form of OpenRouter's own client", () => {
    const parsed = imageModelsListResponseFromJSON(JSON.stringify(LISTED));

    expect(parsed).toMatchObject({ ok: true });
    expect(LISTED.data).toHaveLength(59);
  });

  it('is described but for the models that make only markup', () => {
    const described = DRAWING.filter(({ document }) => document.generation || document.edits);
    const others = MODELS.filter((model) => !described.some((it) => it.model === model));

    expect(MODELS).toHaveLength(LISTED.data.length);
    expect(described).toHaveLength(53);
    expect(others.map(({ id }) => id)).toEqual([
      'recraft/recraft-v4-styles-vector',
      'recraft/recraft-v4-styles-pro-vector',
      'recraft/recraft-v4.1-pro-vector',
      'recraft/recraft-v4.1-vector',
      'recraft/recraft-v4-pro-vector',
      'recraft/recraft-v4-vector',
    ]);
  });

  it('loses only values that the contract cannot name', () => {
    const omitted = DRAWING.flatMap((one) =>
      Object.entries(offeredBy(one)).flatMap(([name, offered]) =>
        valuesOf(one.model.supported_parameters[name] ?? {})
          .filter((value) => !offered.includes(value))
          .map((value) => `${name} ${value}`),
      ),
    );

    expect([...new Set(omitted)].toSorted()).toEqual([
      'aspect_ratio 19.5:9',
      'aspect_ratio 9:19.5',
      'aspect_ratio auto',
      'resolution 1.5k',
      'resolution 512',
      'resolution 768',
    ]);
  });

  it('has no model with a value that the model does not list', () => {
    const added = DRAWING.flatMap((one) =>
      Object.entries(offeredBy(one)).flatMap(([name, offered]) => {
        const listed = valuesOf(one.model.supported_parameters[name] ?? {});
        // The bridge converts the image if the model chooses its format.
        const chosen = listed.length === 0 && name === 'output_format' ? 'png' : 'auto';
        return offered.filter((value) => value !== chosen && !listed.includes(`${value}`));
      }),
    );

    expect(added).toEqual([]);
  });

  it('has the number of images and of inputs that each model lists', () => {
    for (const { model, document } of DRAWING) {
      const { n, input_references: references } = model.supported_parameters as Readonly<
        Record<string, { readonly min: number; readonly max: number } | undefined>
      >;
      expect([model.id, document.batching.native_count.max]).toEqual([model.id, n?.max ?? 1]);
      expect([model.id, document.edit_images.max_count]).toEqual([model.id, references?.max ?? 0]);
      expect([model.id, document.generation]).toEqual([model.id, (references?.min ?? 0) === 0]);
    }
  });
});
