import { type Dialect, MAX_NEGATIVE_CHARACTERS } from './dialect.ts';
import { DIFFUSION } from './family.ts';

export const LOCALAI: Dialect = {
  displayName: 'LocalAI',
  fields: ['size', 'seed', 'response_format'],
  defaultFamily: DIFFUSION,
  formats: ['png'],
  keyHeader: 'authorization',
  edits: {
    route: 'generations',
    // The server draws over the first source in `files`, and reads all other images as references (`image.go`).
    members({ sources: [first, ...more], others }) {
      const references = [...more, ...others];
      return {
        ...(first ? { files: [first.base64()] } : {}),
        ...(references.length > 0 ? { ref_images: references.map((image) => image.base64()) } : {}),
      };
    },
  },
  reads: 'rgb-png',
  needsSizeOfSource: true,
  maxSources: 1,
  prompt: {
    reserved: '|',
    maxNegativeCharacters: MAX_NEGATIVE_CHARACTERS,
    write: (prompt, { negativePrompt }) =>
      negativePrompt === undefined ? prompt : `${prompt}|${negativePrompt}`,
  },
  revisesPrompts: false,
  oneAtATime: true,
  hasNameless404: true,
};
