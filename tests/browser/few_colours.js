// A picture with at most so many colours: boxes of colours are halved, the widest first, and among those the fullest.
async ({ png, most }) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${png}`;
  await picture.decode();
  const { width, height } = picture, canvas = new OffscreenCanvas(width, height), paper = canvas.getContext("2d");
  paper.drawImage(picture, 0, 0);
  const pixels = new Uint32Array(paper.getImageData(0, 0, width, height).data.buffer), counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);

  const parts = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
  const boxed = (colours) => {
    const widths = [0, 1, 2].map((part) => {
      const values = colours.map(({ rgb }) => rgb[part]);
      return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
    });
    const widest = widths.indexOf(Math.max(...widths)), full = colours.reduce((sum, { count }) => sum + count, 0);
    return { colours, widest, weight: widths[widest] * full ** 0.2 };
  };
  const boxes = [boxed([...counts].map(([colour, count]) => ({ colour, count, rgb: parts(colour) })))];
  while (boxes.length < most) {
    boxes.sort((one, other) => other.weight - one.weight);
    const { colours, widest, weight } = boxes[0];
    if (!weight) break;
    colours.sort((one, other) => one.rgb[widest] - other.rgb[widest] || one.colour - other.colour);
    const middle = (colours[0].rgb[widest] + colours.at(-1).rgb[widest]) / 2;
    const cut = colours.findIndex(({ rgb }) => rgb[widest] > middle);
    boxes.splice(0, 1, boxed(colours.slice(0, cut)), boxed(colours.slice(cut)));
  }

  const numbers = new Map(), palette = [0, 0, 0]; // the first is the clear one, which nothing has
  boxes.forEach(({ colours }, number) => {
    // The commonest colour of a box stands for it: so flat ground stays exactly what it was.
    palette.push(...colours.reduce((one, other) => (other.count > one.count ? other : one)).rgb);
    for (const { colour } of colours) numbers.set(colour, number + 1);
  });
  const indexes = Uint8Array.from(pixels, (pixel) => numbers.get(pixel));
  let text = "";
  for (let at = 0; at < indexes.length; at += 32768) text += String.fromCharCode(...indexes.subarray(at, at + 32768));
  return { width, palette, indexes: btoa(text) };
}
