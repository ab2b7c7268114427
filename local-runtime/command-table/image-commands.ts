import { OUTPUT_FORMATS } from '../../lib/contract/request/parameters.ts';
import { JOB_ENDS } from '../../lib/contract/resources/job.ts';
import { type Command, command } from './command.ts';
import { JSON_OUTPUT } from './configuration-options.ts';
import { SERVICE_OPTION } from './service-options.ts';
import { SIGNED_NUMBER, WHOLE_NUMBER } from './value-form.ts';

const REQUEST = {
  output: {
    value: 'FILE',
    short: 'o',
    about: 'the file, its format by its name; a folder for several; - for stdout',
  },
  count: { value: 'COUNT', short: 'n', form: WHOLE_NUMBER, about: 'how many images' },
  size: { value: 'WxH', about: 'width and height in pixels' },
  quality: { value: 'QUALITY', about: 'low, medium, high or what else the model has' },
  format: { value: 'FORMAT', choices: OUTPUT_FORMATS, about: 'the format of the image' },
  background: {
    value: 'KIND',
    choices: ['auto', 'opaque', 'transparent'],
    about: 'the background of the image',
  },
  negative: { value: 'TEXT', about: 'what to avoid' },
  reference: { value: 'FILE', isRepeated: true, about: 'an image to go by' },
  provider: { value: 'NAME', about: 'the provider' },
  model: { value: 'NAME', about: 'the model' },
  preset: { value: 'NAME', about: 'a stored preset, which the other options override' },
  session: { value: 'KEY', about: 'continues the session of that key' },
  priority: {
    value: 'NUMBER',
    form: SIGNED_NUMBER,
    about: 'from -100 to 100: before your jobs of a lower one; 0 without it',
  },
  webhook: { value: 'URL', about: 'where the end of the work is sent, whatever it is' },
  webhookEvent: {
    value: 'EVENT',
    choices: JOB_ENDS,
    isRepeated: true,
    about: 'an end that it is sent for',
  },
  timeout: { value: 'SECONDS', form: WHOLE_NUMBER, about: 'the deadline of the work' },
  force: { about: 'replaces files that exist' },
  quiet: { short: 'q', about: 'prints the paths alone' },
} as const;

const EXITS = {
  0: 'every image was written',
  1: 'the service refused or failed, or a file cannot be written',
  4: 'no service can be reached',
  130: 'Ctrl+C cancelled the work',
};

const DETAILS = [
  'The work is a job of the running service: it is in its history, whatever happens here.',
  'A terminal shows progress, and the image itself where it can (kitty and iTerm2 protocols).',
];

/** What makes images with a running service. */
export const IMAGE_COMMANDS: readonly Command[] = [
  command({
    name: 'generate',
    about: 'generate an image from a prompt, with a running service',
    details: DETAILS,
    arguments: { prompt: { about: 'what to show; - reads it from standard input' } },
    options: { ...REQUEST, ...JSON_OUTPUT, ...SERVICE_OPTION },
    examples: [
      ['generate "a lighthouse at dusk" -o lighthouse.png', 'writes one image'],
      ['generate "a red kite" -n 4 -o kites/ --format webp', 'writes four into a folder'],
      ['generate "a teapot" -o teapot.png --background transparent', 'without a background'],
      ['generate - -o -', 'reads the prompt and writes the image in a pipe'],
    ],
    exits: EXITS,
    load: async () => (await import('../commands/generate.ts')).runGenerate,
  }),
  command({
    name: 'edit',
    about: 'edit an image, with a running service',
    details: DETAILS,
    arguments: {
      file: { about: 'the image to edit; - reads it from standard input' },
      prompt: { about: 'what to change; - reads it from standard input' },
    },
    options: {
      mask: { value: 'FILE', about: 'an image with alpha: only where it is 0 may change' },
      ...REQUEST,
      ...JSON_OUTPUT,
      ...SERVICE_OPTION,
    },
    examples: [
      ['edit rocket.jpg "the same in winter" -o winter.png', 'writes the edited image'],
      ['edit room.png "an empty wall" --mask wall.png -o wall-1.png', 'changes a part of it'],
    ],
    exits: EXITS,
    load: async () => (await import('../commands/generate.ts')).runEdit,
  }),
];
