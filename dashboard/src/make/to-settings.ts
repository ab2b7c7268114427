import type { Capabilities, PresetTemplate } from '../api/schemas.ts';

/** How many unfinished images the page asks for where the model sends them and the draft says nothing. */
const PREVIEWS = 2;

/**
 * What is sent of a draft's settings: with previews, which the gallery shows while the job runs, and without the blank
 * prompt that an unfinished draft has.
 */
export function toSettings(
  settings: PresetTemplate,
  capabilities: Capabilities | undefined,
): PresetTemplate {
  const previews = Math.min(PREVIEWS, capabilities?.partial_images.max ?? 0);
  const isNamed = typeof settings.parameters?.partial_images === 'number';
  if (isNamed || previews === 0) return settings;
  return { ...settings, parameters: { ...settings.parameters, partial_images: previews } };
}
