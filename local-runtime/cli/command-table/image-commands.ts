import { type Command, command } from './command.ts';
import {
  IMAGE_OPTIONS,
  JSON_OUTPUT,
  parseSignedNumber,
  parseWholeNumber,
  SERVICE_OPTION,
} from './options.ts';

const OPTIONS = {
  ...IMAGE_OPTIONS,
  ...JSON_OUTPUT,
  ...SERVICE_OPTION,
};

const EXITS = {
  0: 'every image was written',
  1: 'the request failed, or a file cannot be written',
  4: 'no service can be reached',
  130: 'Ctrl+C cancelled the job',
};

const DETAILS = [
  'Creates a job in the running service. The job stays in the history even if this command fails.',
  'On a terminal, shows progress, and also the image if the terminal supports the image protocol of kitty or iTerm2.',
];

/** Returns the option for a coordinate of the upper left corner of an area. */
function corner(about: string) {
  return { value: 'pixels', parse: parseSignedNumber, isRequired: true, about } as const;
}

/** Returns the option for an edge of an area. */
function edge(about: string) {
  return { value: 'pixels', parse: parseWholeNumber, isRequired: true, about } as const;
}

/** Commands that make images with a running service. */
export const IMAGE_COMMANDS: readonly Command[] = [
  command({
    name: 'generate',
    about: 'generate images from a prompt',
    details: DETAILS,
    arguments: { prompt: { about: 'prompt, or - to read the prompt from standard input' } },
    options: OPTIONS,
    examples: [
      ['generate "a lighthouse at dusk" -o lighthouse.png', 'write one image'],
      ['generate "a red kite" -n 4 -o kites/ --format webp', 'write four images to a folder'],
      [
        'generate "a teapot" -o teapot.png --background transparent',
        'make the background transparent',
      ],
      ['generate "a red kite" -n 4 --plan', 'show the provider calls and their cost'],
      ['generate - -o -', 'read the prompt and write the image in a pipeline'],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/generate.ts')).runGenerate(call),
  }),
  command({
    name: 'edit',
    about: 'edit an image with a prompt',
    details: DETAILS,
    arguments: {
      file: { about: 'image to edit, or - to read the image from standard input' },
      prompt: { about: 'prompt, or - to read the prompt from standard input' },
    },
    options: {
      mask: {
        value: 'file',
        about: 'mask image; only pixels whose alpha is 0 in the mask may change',
      },
      ...OPTIONS,
    },
    examples: [
      ['edit rocket.jpg "the same in winter" -o winter.png', 'write the edited image'],
      [
        'edit room.png "an empty wall" --mask wall.png -o wall-1.png',
        'change only the masked part',
      ],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/generate.ts')).runEdit(call),
  }),
  command({
    name: 'images crop',
    about: 'crop a stored image without a model, free of charge',
    details: [
      'The service makes a new PNG with exactly the pixels of the area, and keeps the image.',
    ],
    arguments: { id: { about: 'id of the artifact' } },
    options: {
      x: corner('left edge of the area'),
      y: corner('upper edge of the area'),
      width: edge('width of the area'),
      height: edge('height of the area'),
      output: {
        ...OPTIONS.output,
        about: 'output file with the extension .png, folder, or - for standard output',
      },
      force: OPTIONS.force,
      quiet: OPTIONS.quiet,
      ...JSON_OUTPUT,
      ...SERVICE_OPTION,
    },
    examples: [
      [
        'images crop 0123456789abcdef0123456789abcdef --x 80 --y 32 --width 160 --height 128 -o part.png',
        'write a part of the image',
      ],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/images-crop.ts')).runImagesCrop(call),
  }),
];
