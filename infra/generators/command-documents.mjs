// Writes what the package ships of the command line besides the program: the manual page and the shells' completions.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { COMMAND_TABLE } from '../../dist/local-runtime/cli/command-table/commands.js';
import {
  bashCompletions,
  fishCompletions,
  zshCompletions,
} from '../../dist/local-runtime/cli/command-table/completions.js';
import { manPage } from '../../dist/local-runtime/cli/command-table/man-page.js';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

// Under the names that each program looks for.
const DOCUMENTS = {
  'man/image-bridge.1': manPage(COMMAND_TABLE, version),
  'completions/image-bridge.bash': bashCompletions(COMMAND_TABLE),
  'completions/_image-bridge': zshCompletions(COMMAND_TABLE),
  'completions/image-bridge.fish': fishCompletions(COMMAND_TABLE),
};

for (const folder of ['man', 'completions']) await mkdir(`dist/${folder}`, { recursive: true });
for (const [name, text] of Object.entries(DOCUMENTS)) await writeFile(`dist/${name}`, text);
