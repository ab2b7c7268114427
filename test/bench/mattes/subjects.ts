import {
  type Canvas,
  type Color,
  capsule,
  clamp,
  createClouds,
  createRandom,
  disc,
  mix,
  ring,
} from './canvas.ts';

/** A subject to cut out, painted on a canvas of 640 pixels. */
export interface Subject {
  readonly name: string;
  readonly prompt: string;
  /** Key colour, if it is given rather than chosen from the prompt. */
  readonly keyColor?: string;
  readonly opaqueThreshold?: number;
  /** Left and top of the enlarged part. */
  readonly detail: readonly [left: number, top: number];
  /** Quality of the JPEG that the image went through, with halved colour resolution. */
  readonly jpegQuality?: number;
  paint(canvas: Canvas): void;
}

const BLACK: Color = [18, 18, 22];
const WHITE: Color = [250, 250, 248];
const TURN = Math.PI * 2;

function fur(canvas: Canvas): void {
  const random = createRandom(11);
  const colors: readonly Color[] = [
    [122, 78, 42],
    [168, 112, 62],
    [214, 168, 112],
    [78, 46, 24],
    [244, 226, 198],
  ];
  canvas.fill(disc(320, 330, 190), [140, 92, 52]);
  for (let hair = 0; hair < 5200; hair += 1) {
    const angle = random() * TURN;
    const from = 195 * Math.sqrt(random());
    const long = 26 + random() * 44;
    const bend = angle + (random() - 0.5) * 0.5;
    const root = [320 + Math.cos(angle) * from, 330 + Math.sin(angle) * from];
    const middle = [
      (root[0] ?? 0) + Math.cos(angle) * long * 0.6,
      (root[1] ?? 0) + Math.sin(angle) * long * 0.6,
    ];
    const tip = [
      (middle[0] ?? 0) + Math.cos(bend) * long * 0.4,
      (middle[1] ?? 0) + Math.sin(bend) * long * 0.4 + 4,
    ];
    const color = colors[Math.floor(random() * colors.length)] ?? BLACK;
    canvas.line(root, middle, 2.2, color);
    canvas.line(middle, tip, 1.1, color);
  }
  for (const x of [250, 390]) {
    canvas.fill(disc(x, 300, 28), BLACK);
    canvas.fill(disc(x + 9, 290, 8), WHITE);
  }
  canvas.fill(disc(320, 372, 20), [40, 24, 24]);
}

function glass(canvas: Canvas): void {
  const side = (y: number) => 200 - (y - 120) * 0.14;
  const tumbler = (x: number, y: number) => Math.min(side(y) - Math.abs(x - 320), y - 120, 540 - y);
  canvas.fill(tumbler, [198, 216, 226], (x, y) => {
    const edge = Math.abs(x - 320) / side(y);
    return 0.24 + 0.5 * edge ** 8;
  });
  canvas.fill((x, y) => Math.min(tumbler(x, y), y - 330), [170, 52, 36], 0.72);
  canvas.fill((x, y) => Math.min(tumbler(x, y), y - 505), [206, 220, 228], 0.85);
  canvas.fill((x, y) => 5 - Math.abs(tumbler(x, y) - 3), [226, 236, 242], 0.9);
  canvas.line([170, 170], [190, 470], 14, WHITE, 0.8);
  canvas.line([206, 170], [220, 400], 5, WHITE, 0.6);
}

function lines(canvas: Canvas): void {
  canvas.fill(ring(320, 320, 262, 16), BLACK);
  canvas.fill(ring(320, 320, 246, 5), [190, 190, 198]);
  for (let spoke = 0; spoke < 36; spoke += 1) {
    const angle = (spoke / 36) * TURN;
    const hub = angle + (spoke % 2 === 0 ? 0.7 : -0.7);
    canvas.line(
      [320 + Math.cos(hub) * 34, 320 + Math.sin(hub) * 34],
      [320 + Math.cos(angle) * 244, 320 + Math.sin(angle) * 244],
      [1.2, 2, 3][spoke % 3] ?? 2,
      [BLACK, [176, 36, 40] as const, [40, 60, 150] as const][spoke % 3] ?? BLACK,
    );
  }
  canvas.fill(disc(320, 320, 38), [92, 92, 100]);
  canvas.fill(disc(320, 320, 14), [214, 196, 150]);
}

function leaf(canvas: Canvas): void {
  const clouds = createClouds(5, 60);
  const half = (y: number) => 165 * Math.sin(clamp((y - 60) / 440, 0, 1) * Math.PI) ** 0.8;
  const shape = (x: number, y: number) =>
    Math.min((half(y) - Math.abs(x - 320 - 18 * Math.sin(y / 90))) * 0.8, y - 60, 500 - y);
  canvas.line([320, 480], [300, 610], 13, [62, 92, 34]);
  canvas.fill(shape, (x, y) => mix([34, 104, 40], [74, 146, 58], clouds(x, y)));
  canvas.line([326, 84], [318, 500], 5, [128, 158, 86]);
  for (let vein = 0; vein < 9; vein += 1) {
    const y = 150 + vein * 38;
    const wide = half(y - 60) * 0.72;
    canvas.line([320, y], [320 - wide, y - 60], 2.5, [116, 150, 80]);
    canvas.line([320, y], [320 + wide, y - 60], 2.5, [116, 150, 80]);
  }
}

function shadow(canvas: Canvas): void {
  canvas.fill(
    () => 1,
    [10, 10, 14],
    (x, y) => 0.46 * clamp(1 - Math.hypot((x - 340) / 250, (y - 505) / 52), 0, 1) ** 0.8,
  );
  canvas.fill(disc(320, 310, 190), (x, y) => {
    const light = clamp(1 - Math.hypot(x - 250, y - 230) / 330, 0, 1);
    return mix([128, 34, 30], [252, 216, 190], light ** 1.4);
  });
  canvas.fill(disc(248, 222, 26), WHITE, 0.75);
}

function holes(canvas: Canvas): void {
  const clouds = createClouds(8, 90);
  const gear = (x: number, y: number) => {
    const angle = Math.atan2(y - 320, x - 320);
    const radius = 232 + 26 * clamp(Math.sin(angle * 14) * 3, -1, 1);
    return radius - Math.hypot(x - 320, y - 320);
  };
  const cut = (x: number, y: number) => {
    const turns = Array.from({ length: 6 }, (_, hole) => (hole / 6) * TURN);
    const distances = turns.map((turn) =>
      disc(320 + Math.cos(turn) * 140, 320 + Math.sin(turn) * 140, 50)(x, y),
    );
    return Math.max(disc(320, 320, 52)(x, y), ...distances);
  };
  canvas.fill(
    (x, y) => Math.min(gear(x, y), -cut(x, y)),
    (x, y) => mix([92, 98, 112], [206, 208, 214], clouds(x, y)),
  );
  canvas.fill((x, y) => 4 - Math.abs(Math.min(gear(x, y), -cut(x, y)) - 10), [232, 234, 240], 0.6);
}

/** The strokes of some letters on a grid of 4 by 6. */
const LETTERS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  k: [
    [0, 0, 0, 6],
    [0, 4, 3, 2],
    [1, 3.4, 3, 6],
  ],
  e: [
    [0, 4, 3, 4],
    [3, 4, 3, 2],
    [3, 2, 0, 2],
    [0, 2, 0, 6],
    [0, 6, 3, 6],
  ],
  y: [
    [0, 2, 1.5, 6],
    [3, 2, 0.8, 8],
  ],
};

function write(canvas: Canvas, scale: number, top: number, width: number, color: Color): void {
  const left = 320 - 5.5 * scale;
  for (const [index, letter] of ['k', 'e', 'y'].entries()) {
    for (const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] of LETTERS[letter] ?? []) {
      const x = left + index * 4 * scale;
      const from = [x + x0 * scale, top + y0 * scale];
      const to = [x + x1 * scale, top + y1 * scale];
      canvas.line(from, to, width, color);
    }
  }
}

function text(canvas: Canvas): void {
  write(canvas, 44, 36, 34, [34, 40, 96]);
  write(canvas, 44, 36, 14, [248, 244, 232]);
  write(canvas, 18, 426, 7, BLACK);
  write(canvas, 6, 592, 2, [150, 30, 60]);
}

function smoke(canvas: Canvas): void {
  const clouds = createClouds(21, 150);
  canvas.fill(
    () => 1,
    (x, y) => mix([150, 152, 160], [246, 246, 248], clouds(y, x)),
    (x, y) => {
      const sway = 60 * Math.sin(y / 110) * (1 - y / 640);
      const wide = 56 + (640 - y) * 0.28;
      const body = clamp(1 - Math.abs(x - 320 - sway) / wide, 0, 1);
      const ends = clamp(y / 160, 0, 1) * clamp((620 - y) / 60, 0, 1);
      return 0.94 * ends * clamp(body * 1.8 * clouds(x, y * 0.7) - 0.16, 0, 1);
    },
  );
}

function hair(canvas: Canvas): void {
  const random = createRandom(3);
  const strand = (color: Color, width: number) => {
    const angle = Math.PI * (0.98 + random() * 1.04);
    let [x, y] = [320 + Math.cos(angle) * 130, 270 + Math.sin(angle) * 150];
    let turn = angle + (random() - 0.5) * 0.9;
    for (let part = 0; part < 9; part += 1) {
      const next: readonly [number, number] = [x + Math.cos(turn) * 20, y + Math.sin(turn) * 20];
      canvas.line([x, y], next, width * (1 - part / 12), color);
      [x, y] = next;
      turn +=
        ((Math.PI / 2 - turn + TURN) % TURN > Math.PI ? -0.16 : 0.16) + (random() - 0.5) * 0.2;
    }
  };
  canvas.fill(capsule([320, 470], [320, 660], 150), [214, 160, 130]);
  canvas.fill(disc(320, 700, 170), [58, 66, 92]);
  canvas.fill((x, y) => 158 - Math.hypot(x - 320, (y - 275) * 0.86), [44, 28, 22]);
  for (let nth = 0; nth < 420; nth += 1) {
    strand(mix([34, 20, 16], [128, 84, 54], random()), 1.2 + random() * 1.2);
  }
  canvas.fill(
    (x, y) => 112 - Math.hypot(x - 320, (y - 330) * 0.78),
    (x, y) => mix([236, 192, 164], [206, 148, 120], clamp((x + y - 500) / 300, 0, 1)),
  );
  for (const x of [276, 364]) canvas.fill(disc(x, 318, 11), [52, 38, 34]);
  canvas.line([286, 408], [354, 408], 7, [166, 76, 74]);
}

function circles(canvas: Canvas): void {
  const colors: readonly Color[] = [
    WHITE,
    BLACK,
    [128, 128, 128],
    [206, 40, 44],
    [44, 76, 190],
    [240, 196, 50],
    [110, 70, 40],
    [232, 188, 160],
    [120, 60, 150],
  ];
  for (const [index, color] of colors.entries()) {
    canvas.fill(disc(120 + (index % 3) * 200, 120 + Math.floor(index / 3) * 200, 84), color);
  }
}

export const SUBJECTS: readonly Subject[] = [
  { name: 'fur', prompt: 'a furry creature', opaqueThreshold: 150, detail: [440, 130], paint: fur },
  {
    name: 'glass',
    prompt: 'a glass of fruit tea',
    opaqueThreshold: 220,
    detail: [90, 240],
    paint: glass,
  },
  { name: 'thin-lines', prompt: 'the wheel of a bicycle', detail: [330, 60], paint: lines },
  {
    name: 'green-on-green',
    prompt: 'a leaf',
    keyColor: '#00FF00',
    detail: [400, 130],
    paint: leaf,
  },
  { name: 'green-on-chosen', prompt: 'a green leaf', detail: [400, 130], paint: leaf },
  {
    name: 'soft-shadow',
    prompt: 'a red ball with its shadow',
    opaqueThreshold: 165,
    detail: [440, 430],
    paint: shadow,
  },
  { name: 'holes', prompt: 'a gear of steel', detail: [400, 210], jpegQuality: 90, paint: holes },
  { name: 'text', prompt: 'the word key', detail: [250, 420], paint: text },
  {
    name: 'smoke',
    prompt: 'a wisp of smoke',
    opaqueThreshold: 250,
    detail: [200, 150],
    paint: smoke,
  },
  {
    name: 'hair',
    prompt: 'a portrait with long brown hair',
    opaqueThreshold: 165,
    detail: [110, 120],
    paint: hair,
  },
  {
    name: 'circles',
    prompt: 'nine discs',
    detail: [160, 150],
    jpegQuality: 92,
    paint: circles,
  },
];
