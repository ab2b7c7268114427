import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { cutTexts } from './support/cut-texts.ts';
import { startDashboard } from './support/dashboard.ts';
import { keptImages } from './support/kept-images.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { press } from './support/press.ts';
import { keepScreenshot } from './support/screenshot.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard({ withAgent: true });
});

const photo = (name: string) => new URL(`../data/photos/${name}`, import.meta.url).pathname;
// On a phone, the panel is a dialog.
const panel = (page: Page) => page.locator('#make');
const submit = (page: Page) => page.getByRole('button', { name: /^Make \d+ images?/ });
const plan = (page: Page) => panel(page).locator('.plan-line');
const jobs = async () => {
  const reply = await fetch(`${bridge.address}/v1/jobs?limit=100`);
  return (
    (await reply.json()) as { items: { prompt: string; operation: string; outputs: number }[] }
  ).items;
};

describe('the number of images', () => {
  const field = (page: Page) => page.getByRole('spinbutton', { name: 'Number of images' });
  const heading = (page: Page) => page.getByRole('heading', { name: 'New image' });

  it('takes effect while it is typed, so that Ctrl+Enter sends this number', async () => {
    const page = await openPage(bridge.address);
    await page.getByLabel('Prompt', { exact: true }).fill('three typed herons');
    await plan(page).getByText('1 call to sandbox-image.').waitFor();

    await field(page).click();
    await page.keyboard.type('3');
    expect(await field(page).inputValue()).toBe('3');
    await submit(page).getByText('Make 3 images').waitFor();
    await page.keyboard.press('Control+Enter');

    const sent = async () => (await jobs()).filter(({ prompt }) => prompt === 'three typed herons');
    await expect.poll(async () => (await sent()).map(({ outputs }) => outputs)).toEqual([3]);
  });

  it('stays as typed while the plan of an earlier number arrives', async () => {
    const page = await openPage(bridge.address);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/plan', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel('Prompt', { exact: true }).fill('a held heron');
    await page.waitForRequest('**/v1/plan');

    await field(page).fill('');
    answer();
    await plan(page).getByText('1 call to sandbox-image.').waitFor();
    expect(await field(page).inputValue()).toBe('');
    await heading(page).click();

    await expect.poll(() => field(page).inputValue()).toBe('1');
  });

  it('is reduced to the maximum at once, and replaced as a whole by the next press', async () => {
    const page = await openPage(bridge.address);
    await field(page).fill('999');
    await submit(page).getByText('Make 255 images').waitFor();
    await heading(page).click();
    await expect.poll(() => field(page).inputValue()).toBe('255');

    await field(page).click();
    await page.keyboard.type('2');

    await submit(page).getByText('Make 2 images').waitFor();
  });
});

describe('the prompt', () => {
  it('is sent by Ctrl+Enter, several times in a row', async () => {
    const herons = async () =>
      (await jobs()).filter(({ prompt }) => prompt === 'two herons at dawn').length;
    const before = await herons();
    const page = await openPage(bridge.address);

    await page.getByLabel('Prompt', { exact: true }).fill('two herons at dawn');
    await plan(page).getByText('1 call to sandbox-image.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+Enter');

    await expect.poll(herons).toBe(before + 2);
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe(
      'two herons at dawn',
    );
  });

  it('shows by how many bytes it is too long', async () => {
    const page = await openPage(bridge.address);

    await page.getByLabel('Prompt', { exact: true }).fill('ü'.repeat(6200));

    await panel(page).getByText('112 bytes too long').waitFor();
    await plan(page).getByText('The prompt is too long.').waitFor();
    await expect.poll(() => submit(page).isDisabled()).toBe(true);
    await keepScreenshot(page, 'make-too-long');
  });

  it('survives a reload with its images and settings', async () => {
    const page = await openPage(bridge.address);
    await page.getByLabel('Prompt', { exact: true }).fill('the same cup at blue hour');
    await page.locator('input[type=file]').setInputFiles(photo('coffee.png'));
    await page.getByRole('radio', { name: '3:2' }).click();
    await page.getByText('Source', { exact: true }).waitFor();
    await expect.poll(async () => (await keptImages(page)).names).toEqual(['coffee.png']);

    await page.reload();

    await page.getByText('coffee.png', { exact: true }).waitFor();
    await expect
      .poll(() => page.getByLabel('Prompt', { exact: true }).inputValue())
      .toBe('the same cup at blue hour');
    await expect
      .poll(() => page.getByRole('radio', { name: '3:2' }).getAttribute('aria-checked'))
      .toBe('true');
    await keepScreenshot(page, 'make-source');
  });
});

describe('the images of a draft', () => {
  it('turn the request into an edit, whether dropped or picked', async () => {
    const page = await openPage(bridge.address);
    await page.getByLabel('Prompt', { exact: true }).fill('as a woodcut');
    const bytes = [...(await readFile(photo('rocket.jpg')))];
    const transfer = await page.evaluateHandle((content) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], 'rocket.jpg', { type: 'image/jpeg' }));
      return data;
    }, bytes);
    await page.locator('.prompt-box').dispatchEvent('drop', { dataTransfer: transfer });

    await page.getByText('The source makes this an edit').waitFor();
    await plan(page).getByText('1 call to sandbox-image.').waitFor();
    await plan(page).getByText('Edits rocket.jpg.').waitFor();
    await submit(page).click();

    await expect
      .poll(async () => (await jobs()).find(({ prompt }) => prompt === 'as a woodcut')?.operation)
      .toBe('edit');
  });

  it('are rejected by name if they are damaged, too large, or neither PNG, JPEG nor WebP', async () => {
    const page = await openPage(bridge.address);
    const png = await readFile(photo('coffee.png'));

    await page.locator('input[type=file]').setInputFiles([
      { name: 'rocket.heic', mimeType: 'image/heic', buffer: Buffer.from('....ftypheic') },
      { name: '<b>cut</b>.png', mimeType: 'image/png', buffer: png.subarray(0, 400) },
    ]);

    await page.getByText('rocket.heic cannot be read').waitFor();
    await page.getByText('PNG, JPEG or WebP only.').waitFor();
    await page.getByText('<b>cut</b>.png cannot be read').waitFor();
    await keepScreenshot(page, 'make-refused-files');
  });
});

/** Creates the data of a drop or a paste with one file. */
function transferOf(page: Page, bytes: Buffer, name: string) {
  return page.evaluateHandle(
    ([content, filename]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], filename, { type: 'image/png' }));
      return data;
    },
    [[...bytes], name] as const,
  );
}

describe('files added to a draft', () => {
  it('are accepted wherever they are dropped or pasted', async () => {
    const page = await openPage(bridge.address);
    const png = await readFile(photo('coffee.png'));
    const dropped = await transferOf(page, png, 'dropped.png');
    const pasted = await transferOf(page, png, 'pasted.png');
    const paste = (data: DataTransfer) =>
      document.body.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );

    await page.locator('main').dispatchEvent('dragenter', { dataTransfer: dropped });
    await page.getByText('PNG, JPEG or WebP, up to 33 MB each').waitFor();
    await keepScreenshot(page, 'make-drop');
    await page.locator('main').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('dropped.png').waitFor();
    await page.getByText('PNG, JPEG or WebP, up to 33 MB each').waitFor({ state: 'detached' });
    await pasted.evaluate(paste);

    await page.getByText('pasted.png').waitFor();
    await page.getByText('Reference', { exact: true }).waitFor();
  });

  it('become references beside one source if they are dropped while others are read', async () => {
    const page = await openPage(bridge.address);
    const png = await readFile(photo('coffee.png'));
    const first = await transferOf(page, png, 'first.png');
    const second = await transferOf(page, png, 'second.png');

    await first.evaluate((data, other) => {
      for (const dataTransfer of [data, other]) {
        const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
        document.body.dispatchEvent(drop);
      }
    }, second);

    await page.getByText('Source', { exact: true }).waitFor();
    await page.getByText('Reference', { exact: true }).waitFor();
  });

  it('are rejected by their size at 100 MB, without being read completely', async () => {
    const page = await openPage(bridge.address);
    const large = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      const head = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
      data.items.add(new File([head, new Uint8Array(100_000_000)], 'large.png'));
      return data;
    });

    await page.locator('main').dispatchEvent('drop', { dataTransfer: large });

    await page.getByText('large.png cannot be read').waitFor();
    await page.getByText('The file is 100 MB. The limit is 33 MB.').waitFor();
  });

  it('are shown unchanged if their names are hostile, and break nothing', async () => {
    const page = await openPage(bridge.address, { size: 'phone' });
    await page.getByRole('button', { name: /^Describe an image/ }).click();
    const buffer = await readFile(photo('coffee.png'));
    const names = [
      '<img src=x onerror=alert(1)>.png',
      `${'very long '.repeat(20)}.png`,
      'a\u202egnp.exe.png',
      '../../etc/passwd.png',
    ];

    await page
      .locator('input[type=file]')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'image/png', buffer })));
    await expect.poll(() => page.locator('.attachment-row').count()).toBe(4);
    await page.getByLabel('Prompt', { exact: true }).fill('\u202eoverridden\u200b עברית 🌙');
    await plan(page).getByText('1 call to sandbox-image.').waitFor();
    await keepScreenshot(page, 'make-hostile-names');
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(sideways).toBe(false);
    await submit(page).click();

    await expect
      .poll(
        async () => (await jobs()).find(({ prompt }) => prompt.includes('overridden'))?.operation,
      )
      .toBe('edit');
  });

  it('are removed, and restored by one press', async () => {
    const page = await openPage(bridge.address);
    await page.locator('input[type=file]').setInputFiles(photo('coffee.png'));
    await page.getByRole('button', { name: 'Remove coffee.png' }).click();
    await page.getByText('coffee.png removed').waitFor();

    await press(page.getByRole('button', { name: 'Undo', exact: true }));

    await page.getByRole('button', { name: 'Remove coffee.png' }).waitFor();
  });

  it('are shown at once while the bridge cannot be reached', async () => {
    const page = await openPage(bridge.address, { expects: [/ERR_INTERNET_DISCONNECTED/] });
    await page.locator('#prompt').waitFor();
    await page.context().setOffline(true);

    await page.locator('input[type=file]').setInputFiles(photo('coffee.png'));

    await page.getByRole('button', { name: 'Remove coffee.png' }).waitFor();
  });

  it('are reported by name when they are sent after they were moved or changed', async () => {
    const page = await openPage(bridge.address, { expects: [/blob:/] });
    const folder = await mkdtemp(join(tmpdir(), 'moved-'));
    const path = join(folder, 'moved.png');
    await copyFile(photo('coffee.png'), path);
    await page.getByLabel('Prompt', { exact: true }).fill('an image that moves away');
    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByRole('button', { name: 'Remove moved.png' }).waitFor();
    await plan(page).getByText('1 call to sandbox-image.').waitFor();
    await rm(folder, { recursive: true });

    await submit(page).click();

    await page.getByText('moved.png cannot be read').waitFor();
    await page.getByText('The file was moved or changed after it was added.').waitFor();
    expect((await jobs()).some(({ prompt }) => prompt === 'an image that moves away')).toBe(false);
  });
});

describe('a connection that breaks during a submission', () => {
  it('costs nothing, because the same submission is sent once more', async () => {
    const sent = async () =>
      (await jobs()).filter(({ prompt }) => prompt === 'sent through a bad line').length;
    const before = await sent();
    const page = await openPage(bridge.address, { expects: [/ERR_CONNECTION|503/] });
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/jobs', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push(route.request().headers()['idempotency-key']);
      // The bridge has accepted the request, but its reply is lost.
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await page.getByLabel('Prompt', { exact: true }).fill('sent through a bad line');
    await plan(page).getByText('1 call to sandbox-image.').waitFor();

    await submit(page).click();

    await expect.poll(() => keys.length).toBe(2);
    expect(keys[0]).toBe(keys[1]);
    await page
      .getByRole('link', { name: /sent through a bad line/ })
      .first()
      .waitFor();
    expect(await sent()).toBe(before + 1);
  });
});

describe('the sheet of a phone', () => {
  it('is a dialog that has the focus in the prompt, and is closed by Escape', async () => {
    const page = await openPage(bridge.address, { size: 'phone', touch: true });
    const dock = page.getByRole('button', { name: /^Describe an image|^a dock/ });
    await dock.tap();
    const sheet = page.getByRole('dialog', { name: 'New image' });
    await sheet.waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await expect.poll(focused).toBe('prompt');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.keyboard.press('Escape');

    await sheet.waitFor({ state: 'detached' });
    await expect
      .poll(() => dock.evaluate((button) => button === document.activeElement))
      .toBe(true);
  });

  it('is closed by Back, and by sending', async () => {
    const page = await openPage(bridge.address, { size: 'phone', touch: true });
    const dock = page.getByRole('button', { name: /^Describe an image|^a dock/ });
    // A closed sheet is not found by its role.
    const sheet = page.locator('#make');
    await dock.tap();
    await page.getByLabel('Prompt', { exact: true }).fill('a dock');
    await page.goBack();
    await expect.poll(() => sheet.getAttribute('data-open')).toBe('false');

    await dock.tap();
    await expect.poll(() => sheet.getAttribute('data-open')).toBe('true');
    await plan(page).getByText('1 call to sandbox-image.').waitFor();
    await panel(page)
      .getByRole('button', { name: /^Make 1 image/ })
      .tap();

    await expect.poll(() => sheet.getAttribute('data-open')).toBe('false');
  });
});

describe('the chosen model', () => {
  it.each([1280, 1440])('shows its capabilities whole at a width of %i px', async (width) => {
    const page = await openPage(bridge.address, { size: { width, height: 800 } });
    const abilities = page.locator('.model .abilities');
    await abilities.getByText('native masks').waitFor();

    expect(await cutTexts(abilities)).toEqual([]);
  });

  it('shows its capabilities, and disables unsupported settings', async () => {
    const page = await openPage(bridge.address);
    await page.getByLabel('Prompt', { exact: true }).fill('a ceramic bird, as a sticker');

    await page.getByRole('button', { name: /sandbox-image/ }).click();
    await page.getByRole('option', { name: /^gpt-image-1 / }).waitFor();
    await keepScreenshot(page, 'make-models');
    await page.getByRole('option', { name: /^gpt-image-1 / }).click();

    await page.getByText('gpt-image-1 supports 1:1, 3:2, 2:3 only.').waitFor();
    await expect.poll(() => page.getByRole('radio', { name: '16:9' }).isDisabled()).toBe(true);
    await plan(page).getByText('1 call to gpt-image-1.').waitFor();
  });

  it('has its background cut out by the bridge if it produces no alpha, and the plan says so', async () => {
    const page = await openPage(bridge.address);
    await page.getByLabel('Prompt', { exact: true }).fill('a ceramic bird, as a sticker');
    await page.getByRole('button', { name: /sandbox-image/ }).click();
    await page.getByRole('option', { name: /^gpt-image-2/ }).click();

    await page.getByRole('button', { name: /^Look/ }).click();
    await page.getByLabel('Background').selectOption('transparent');
    await page.getByRole('button', { name: 'One more' }).click();

    await plan(page).getByText('2 calls to gpt-image-2, all at once.').waitFor();
    await plan(page).getByText('The bridge cuts out the background afterwards.').waitFor();
    await page
      .getByText('The bridge cuts out the background because gpt-image-2 does not produce alpha.')
      .waitFor();
    await keepScreenshot(page, 'make-look');
  });

  it('rejects an unsupported size before it is sent, with a fix by one press', async () => {
    const page = await openPage(bridge.address);
    await page.getByLabel('Prompt', { exact: true }).fill('a wide valley');
    await page.getByRole('radio', { name: '16:9' }).click();
    await page.getByRole('button', { name: /sandbox-image/ }).click();
    await page.getByRole('option', { name: /^gpt-image-1 / }).click();

    await plan(page).getByText('gpt-image-1 does not support this size.').waitFor();
    await expect.poll(() => submit(page).isDisabled()).toBe(true);
    await keepScreenshot(page, 'make-refused');
    await page.getByRole('button', { name: 'Use the nearest value' }).click();

    await plan(page).getByText('Size becomes 1536 × 1024, the nearest supported size.').waitFor();
    await expect.poll(() => submit(page).isEnabled()).toBe(true);
    await keepScreenshot(page, 'make-normalized');
  });
});

describe('the list of models', () => {
  it('opens beside the prompt with the chosen model in view, and is filtered by typing', async () => {
    const page = await openPage(bridge.address, { size: { width: 1280, height: 560 } });
    const open = () => page.getByRole('button', { name: /^(sandbox|gpt)-/ }).click();
    const list = page.getByRole('listbox', { name: 'Model' });
    await open();
    await list.waitFor();
    expect(await page.getByRole('option', { name: /^sandbox-fail/ }).count()).toBe(0);
    await page.getByRole('option', { name: /^sandbox-basic/ }).click();

    await open();

    const chosen = page.getByRole('option', { name: /^sandbox-basic/, selected: true });
    const inView = async () => {
      const [outer, inner] = [await list.boundingBox(), await chosen.boundingBox()];
      if (outer === null || inner === null) return false;
      return inner.y >= outer.y - 1 && inner.y + inner.height <= outer.y + outer.height + 1;
    };
    await expect.poll(inView).toBe(true);
    await expect
      .poll(() => chosen.evaluate((option) => option === document.activeElement))
      .toBe(true);
    const prompt = await page.locator('.prompt-box').boundingBox();
    expect((await list.boundingBox())?.x).toBeGreaterThan((prompt?.x ?? 0) + (prompt?.width ?? 0));
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'model-list');

    await page.keyboard.type('flaky');

    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^sandbox-flaky/ }).waitFor();
  });
});

describe('a pair of the metadata', () => {
  it('has its fields in view when the last group is opened', async () => {
    const page = await openPage(bridge.address);
    await page.getByRole('button', { name: /^Metadata/ }).click();
    const name = page.getByPlaceholder('Name');
    await name.waitFor();

    await expect
      .poll(async () => {
        const field = await name.boundingBox();
        const foot = await page.locator('.make-foot').boundingBox();
        return (field?.y ?? 0) + (field?.height ?? 0) <= (foot?.y ?? 0);
      })
      .toBe(true);
  });

  it('keeps its value when its name is added again', async () => {
    const page = await openPage(bridge.address);
    await page.getByRole('button', { name: /^Metadata/ }).click();
    const name = page.getByPlaceholder('Name');
    const value = page.getByLabel('Value of project');
    await name.fill('project');
    await name.press('Enter');
    await value.fill('posters');

    await name.fill('project');
    await name.press('Enter');

    await expect.poll(() => name.inputValue()).toBe('');
    expect(await value.inputValue()).toBe('posters');
  });
});

describe('presets', () => {
  it('of any title are saved, applied, replaced and deleted', async () => {
    const { address } = await startDashboard();
    const page = await openPage(address);
    await page.getByLabel('Prompt', { exact: true }).fill('poster, three colours');
    await page.getByRole('radio', { name: '2:3' }).click();
    const presets = page.getByRole('button', { name: 'Presets' });

    await presets.click();
    await page.getByLabel('Preset name').fill('Plakat für März');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Plakat für März saved').waitFor();
    await page.getByRole('button', { name: 'Clear the draft' }).click();
    await presets.click();
    await keepScreenshot(page, 'make-presets');
    await page.getByRole('button', { name: /^Plakat/ }).click();
    await expect
      .poll(() => page.getByLabel('Prompt', { exact: true }).inputValue())
      .toBe('poster, three colours');

    await presets.click();
    await page.getByLabel('Preset name').fill('Plakat für März');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('A preset with this name already exists.').waitFor();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('dialog', { name: 'Presets' }).waitFor({ state: 'hidden' });

    await presets.click();
    await page.getByRole('button', { name: 'Delete Plakat für März' }).click();
    await press(page.getByRole('button', { name: 'Delete preset' }));
    await page.getByText('No presets yet.').waitFor();
  });
});

describe('the panel for a new image', () => {
  it.each(THEMES_AND_SIZES)(
    'has no accessibility problems in the %s theme on a %s',
    async (theme, size) => {
      const page = await openPage(bridge.address, { theme, size });
      if (size === 'phone') await page.getByRole('button', { name: /^Describe an image/ }).click();
      await page
        .getByLabel('Prompt', { exact: true })
        .fill('A lighthouse on a basalt cliff at dusk');
      await page.locator('input[type=file]').setInputFiles(photo('rocket.jpg'));
      for (const group of ['Look', 'Avoid', 'File', 'Fit and fallback', 'Metadata']) {
        await page.getByRole('button', { name: new RegExp(`^${group}`) }).click();
      }
      await plan(page).getByText('1 call to sandbox-image.').waitFor();

      await keepScreenshot(page, `make-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      const sideways = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(sideways).toBe(false);
    },
  );
});
