// Writes what the package ships of the command line besides the program: the manual page and the shells' completions.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createParser } from '../../dist/local-runtime/cli/command-line.js';
import { COMPLETION_SCRIPTS } from '../../dist/local-runtime/cli/completions.js';
import { manPage } from '../../dist/local-runtime/cli/man-page.js';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const io = { env: {}, isTerminal: {}, stdout() {}, stderr() {} };

// Under the names that each program looks for.
const DOCUMENTS = {
  'man/image-bridge.1': manPage(createParser(io), version),
  'completions/image-bridge.bash': COMPLETION_SCRIPTS.bash,
  'completions/_image-bridge': COMPLETION_SCRIPTS.zsh,
  'completions/image-bridge.fish': COMPLETION_SCRIPTS.fish,
};

for (const folder of ['man', 'completions']) await mkdir(`dist/${folder}`, { recursive: true });
for (const [name, text] of Object.entries(DOCUMENTS)) await writeFile(`dist/${name}`, text);
