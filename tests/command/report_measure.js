// Measures a page of `autotune report` as it is laid out, for report_render.sh, which puts this
// into a copy of the page: what leaves its box, what is clipped, what runs into another text, what
// cannot be read against its ground. Sends lines of text to the page that frames it.
function visible(element) {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && getComputedStyle(element).visibility !== "hidden";
}
function scroller(element) {
    return element.closest(".scroll");
}
function name(text) {
    return "'" + text.trim().replace(/\s+/g, " ").slice(0, 60) + "'";
}
// Every piece of text that is seen: its boxes, one a line of it, and the element it is in.
function pieces() {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.data.trim() || parent.closest("title, caption, script, style"))
            continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects())
            if (box.width > 1 && box.height > 1)
                found.push({ text: node.data, box: box, parent: parent });
    }
    return found;
}
function outside(inner, outer, slack) {
    return inner.left < outer.left - slack || inner.right > outer.right + slack ||
        inner.top < outer.top - slack || inner.bottom > outer.bottom + slack;
}
function check_page(faults) {
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth)
        faults.push("the page is " + root.scrollWidth + " wide, not " + root.clientWidth);
}
// What does not scroll keeps its text within itself, and that within the page.
function check_clipped(faults, all) {
    const page = document.documentElement.getBoundingClientRect();
    for (const piece of all) {
        const svg = piece.parent.closest("svg");
        const frame = svg ? svg.getBoundingClientRect() : page;
        if (!scroller(piece.parent) && outside(piece.box, frame, 0.5))
            faults.push("outside: " + name(piece.text));
    }
    for (const element of document.querySelectorAll("main *"))
        if (visible(element) && !scroller(element) && !element.closest("svg") &&
            element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 &&
            getComputedStyle(element).display !== "inline")
            faults.push("wider than its box: " + name(element.textContent));
    for (const box of document.querySelectorAll(".scroll"))
        if (visible(box) && box.scrollWidth > box.clientWidth + 1 &&
            getComputedStyle(box).overflowX !== "auto")
            faults.push("cannot be scrolled: " + name(box.textContent));
    for (const element of document.querySelectorAll(".heat td, .heat th"))
        if (visible(element) && element.scrollWidth > element.clientWidth + 1)
            faults.push("a cell is too narrow: " + name(element.textContent));
}
function check_overlaps(faults, all) {
    all.sort((a, b) => a.box.top - b.box.top);
    for (let i = 0; i < all.length; i++)
        for (let k = i + 1; k < all.length && all[k].box.top < all[i].box.bottom - 2; k++) {
            const a = all[i].box, b = all[k].box;
            if (scroller(all[i].parent) || scroller(all[k].parent))
                continue; // laid out as tables and lines of source
            if (a.left < b.right - 1 && b.left < a.right - 1)
                faults.push(name(all[i].text) + " runs into " + name(all[k].text));
        }
}
// Relative luminance and contrast as WCAG 2 has them.
function channels(color) {
    const parts = color.match(/[\d.]+/g).map(Number);
    return parts.length > 3 && parts[3] === 0 ? null : parts.slice(0, 3);
}
function luminance(rgb) {
    const part = rgb.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}
function ground(element) {
    for (let at = element; at; at = at.parentElement) {
        const color = at.closest("svg") ? null : channels(getComputedStyle(at).backgroundColor);
        if (color)
            return color;
    }
    return [255, 255, 255];
}
function check_contrast(faults, all) {
    let least = 21;
    for (const piece of all) {
        const style = getComputedStyle(piece.parent);
        const ink = channels(piece.parent.closest("svg") ? style.fill : style.color);
        const lights = [luminance(ink), luminance(ground(piece.parent))].sort((a, b) => b - a);
        const contrast = (lights[0] + 0.05) / (lights[1] + 0.05);
        least = Math.min(least, contrast);
        if (contrast < 4.5)
            faults.push("contrast " + contrast.toFixed(2) + ": " + name(piece.text));
    }
    return least;
}
window.addEventListener("load", () => {
    for (const details of document.querySelectorAll("details"))
        details.open = true; // what is folded is looked at too
    const faults = [], all = pieces();
    check_page(faults);
    check_clipped(faults, all);
    check_overlaps(faults, all);
    const least = check_contrast(faults, all);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const drawings = [...document.querySelectorAll("figure > svg")].filter(visible);
    const lines = ["MEASURED " + (dark ? "dark" : "light") + " " + innerWidth + " pieces=" +
        all.length + " drawings=" + drawings.length + " contrast=" + least.toFixed(2)];
    for (const fault of new Set(faults))
        lines.push("FAULT " + fault);
    parent.postMessage(lines.join("\n"), "*");
});
