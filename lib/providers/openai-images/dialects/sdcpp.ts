import { type Dialect, MAX_NEGATIVE_CHARACTERS } from './dialect.ts';
import { DIFFUSION } from './family.ts';

export const SDCPP: Dialect = {
  displayName: 'stable-diffusion.cpp',
  fields: ['size', 'output_format'],
  defaultFamily: DIFFUSION,
  // WebP is not supported for edits.
  formats: ['png', 'jpeg'],
  keyHeader: 'authorization',
  edits: 'form',
  reads: 'png',
  mask: { name: 'mask', form: 'white' },
  prompt: {
    reserved: '<sd_cpp_extra_args>',
    maxNegativeCharacters: MAX_NEGATIVE_CHARACTERS,
    // Without a seed, the server would use 42 for every call.
    write(prompt, { seed, negativePrompt }) {
      const json = JSON.stringify({ seed, negative_prompt: negativePrompt });
      // `<` is escaped so that no text can end the element.
      return `${prompt}<sd_cpp_extra_args>${json.replaceAll('<', '\\u003c')}</sd_cpp_extra_args>`;
    },
  },
  revisesPrompts: false,
  oneAtATime: true,
  hasNameless404: true,
};
