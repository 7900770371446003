const struct prefix_image *prefix_find_image(int cc)
{
    const struct prefix_image *best = 0;
    for (int i = 0; i < prefix_image_count; i++) {
        const struct prefix_image *image = &prefix_images[i];
        const int is_fit = image->is_ptx ? !best || best->is_ptx : image->cc / 10 == cc / 10;
        if (image->cc <= cc && is_fit) /* ascending: the newest, and PTX after machine code */
            best = image;
    }
    return best;
}
