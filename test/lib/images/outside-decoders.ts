import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';

/** A program that checks image files. `isComplaint` returns true if its output reports an invalid file. */
interface OutsideDecoder {
  readonly program: string;
  readonly options: readonly string[];
  isComplaint(code: number, output: string): boolean;
}

/** The programs for each format. Their Debian packages are pngcheck, jpeginfo and webp. */
const DECODERS: Readonly<Record<OutputFormat, OutsideDecoder>> = {
  png: {
    program: 'pngcheck',
    options: ['-q'],
    // Complaints of pngcheck that are ignored: a wrong Adler-32, which the bridge does not check; chunks newer than pngcheck;
    // dates and chromaticities outside its own limits.
    isComplaint: (code, output) =>
      code !== 0 &&
      !/inflate error = -3 |unknown, public chunk|invalid (?:tIME|cHRM) /.test(output),
  },
  jpeg: {
    program: 'jpeginfo',
    options: ['-c'],
    // jpeginfo does not support CMYK and reports that before it decodes a pixel.
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

/** Runs a program. `code` is -1 if the program is not installed or was killed. */
function run(program: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 20_000, encoding: 'latin1' }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      resolve({ code, output: `${stdout}${stderr}`.trim() });
    });
  });
}

/** Returns the programs that are missing on this machine. */
export async function missingDecoders(): Promise<readonly string[]> {
  const programs = Object.values(DECODERS).map(({ program }) => program);
  const runs = await Promise.all(programs.map((program) => run(program, ['--help'])));
  return programs.filter((_program, index) => runs[index]?.code === -1);
}

/** Returns the complaint of the decoder of this format about an image, or undefined if the image is valid. */
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
