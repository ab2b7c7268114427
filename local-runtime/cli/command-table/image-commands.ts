import { JOB_ENDS, OUTPUT_FORMATS } from './choices.ts';
import { type Command, command } from './command.ts';
import { JSON_OUTPUT, parseSignedNumber, parseWholeNumber, SERVICE_OPTION } from './options.ts';

const REQUEST = {
  output: {
    value: 'file',
    short: 'o',
    about: 'output file (its name sets the format), folder, or - for standard output',
  },
  count: { value: 'count', short: 'n', parse: parseWholeNumber, about: 'number of images' },
  size: { value: 'WxH', about: 'width and height in pixels' },
  quality: { value: 'quality', about: 'low, medium, high or another quality of the model' },
  format: { value: 'format', choices: OUTPUT_FORMATS, about: 'image format' },
  background: {
    value: 'kind',
    choices: ['auto', 'opaque', 'transparent'],
    about: 'background of the image',
  },
  negative: { value: 'text', about: 'negative prompt: what the image must not show' },
  reference: { value: 'file', isRepeated: true, about: 'reference image' },
  provider: { value: 'name', about: 'provider' },
  model: { value: 'name', about: 'model' },
  preset: { value: 'name', about: 'stored preset; other options override it' },
  session: { value: 'key', about: 'start or continue the session with this key' },
  priority: {
    value: 'number',
    parse: parseSignedNumber,
    about: 'priority among your jobs, -100 to 100, highest first (default: 0)',
  },
  webhook: { value: 'url', about: 'send a webhook to this URL when the job ends' },
  webhookEvent: {
    value: 'event',
    choices: JOB_ENDS,
    isRepeated: true,
    about: 'send only for this status',
  },
  timeout: { value: 'seconds', parse: parseWholeNumber, about: 'time limit of the job' },
  force: { about: 'overwrite existing files' },
  quiet: { short: 'q', about: 'print only the paths' },
} as const;

const EXITS = {
  0: 'every image was written',
  1: 'the request failed, or a file cannot be written',
  4: 'no service can be reached',
  130: 'Ctrl+C cancelled the job',
};

const DETAILS = [
  'Creates a job in the running service. The job stays in the history even if this command fails.',
  'Shows progress on a terminal, and the image on a terminal with the kitty or iTerm2 protocol.',
];

/** Commands that make images with a running service. */
export const IMAGE_COMMANDS: readonly Command[] = [
  command({
    name: 'generate',
    about: 'generate images from a prompt',
    details: DETAILS,
    arguments: { prompt: { about: 'the prompt, or - to read it from standard input' } },
    options: { ...REQUEST, ...JSON_OUTPUT, ...SERVICE_OPTION },
    examples: [
      ['generate "a lighthouse at dusk" -o lighthouse.png', 'write one image'],
      ['generate "a red kite" -n 4 -o kites/ --format webp', 'write four images to a folder'],
      [
        'generate "a teapot" -o teapot.png --background transparent',
        'make the background transparent',
      ],
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
      file: { about: 'the image to edit, or - to read it from standard input' },
      prompt: { about: 'the prompt, or - to read it from standard input' },
    },
    options: {
      mask: { value: 'file', about: 'mask image; only pixels with alpha 0 may change' },
      ...REQUEST,
      ...JSON_OUTPUT,
      ...SERVICE_OPTION,
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
];
