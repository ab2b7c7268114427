import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';

/** The complaint of another program about a file, or undefined if the file is valid for it. */
interface OutsideDecoder {
  readonly program: string;
  readonly options: readonly string[];
  isComplaint(code: number, output: string): boolean;
}

/** Debian has them as pngcheck, jpeginfo and webp. */
const DECODERS: Readonly<Record<OutputFormat, OutsideDecoder>> = {
  png: {
    program: 'pngcheck',
    options: ['-q'],
    // Its inflater also checks the Adler-32, which we do not check. It does not know newer chunks, and it has
    // its own idea of when an image can have been made and of what a colour is.
    isComplaint: (code, output) =>
      code !== 0 &&
      !/inflate error = -3 |unknown, public chunk|invalid (?:tIME|cHRM) /.test(output),
  },
  jpeg: {
    program: 'jpeginfo',
    options: ['-c'],
    // It does not know how to look at CMYK, and says so before it has seen a pixel.
    isComplaint: (_code, output) =>
      /\b(?:WARNING|ERROR)\b(?!\s+Unsupported color conversion)/.test(output),
  },
  webp: {
    program: 'webpinfo',
    options: ['-diag', '-bitstream_info'],
    isComplaint: (code) => code !== 0,
  },
};

interface Run {
  readonly code: number;
  readonly output: string;
}

/** `code` is -1 for a program that is not installed, or that was killed. */
function run(program: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 20_000, encoding: 'latin1' }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      resolve({ code, output: `${stdout}${stderr}`.trim() });
    });
  });
}

/** Which of them are missing on this machine. */
export async function missingDecoders(): Promise<readonly string[]> {
  const programs = Object.values(DECODERS).map(({ program }) => program);
  const runs = await Promise.all(programs.map((program) => run(program, ['--help'])));
  return programs.filter((_program, index) => runs[index]?.code === -1);
}

/** What the decoder of this format has against the image; undefined when it is content with it. */
export async function complaintAbout(
  bytes: Buffer,
  format: OutputFormat,
): Promise<string | undefined> {
  const { program, options, isComplaint } = DECODERS[format];
  const folder = await mkdtemp(join(tmpdir(), 'outside-decoder-'));
  try {
    const file = join(folder, `image.${format}`);
    await writeFile(file, bytes);
    const { code, output } = await run(program, [...options, file]);
    return isComplaint(code, output) ? `${program}: ${output.replaceAll(folder, '')}` : undefined;
  } finally {
    await rm(folder, { recursive: true });
  }
}
